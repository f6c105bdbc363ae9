-- A pack's schema at once: the tables that the numbered scripts make one after the other, with the same columns, and the
-- tables of a pack. A reader takes a pack for one only when its schema is this text, so it never runs what else a file
-- brings. {table}: where the columns of members go that are newer than this text (db/member_columns.h), or nothing.
-- Spelled without comments inside: what stands here is stored in every pack.

CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT;
CREATE TABLE toolchains (id INTEGER PRIMARY KEY, driver TEXT NOT NULL, compiler TEXT NOT NULL, UNIQUE (driver,
  compiler)) STRICT;
CREATE TABLE devices (id INTEGER PRIMARY KEY, backend TEXT NOT NULL, name TEXT NOT NULL, uuid TEXT NOT NULL, arch
  TEXT NOT NULL, memory_bytes INTEGER NOT NULL DEFAULT 0 CHECK (memory_bytes >= 0), sm_count INTEGER NOT NULL
  DEFAULT 0 CHECK (sm_count >= 0), compute_capability INTEGER NOT NULL DEFAULT 0 CHECK (compute_capability >= 0),
  warp_size INTEGER NOT NULL DEFAULT 0 CHECK (warp_size >= 0), max_threads_per_block INTEGER NOT NULL DEFAULT 0
  CHECK (max_threads_per_block >= 0), max_threads_per_sm INTEGER NOT NULL DEFAULT 0 CHECK (max_threads_per_sm >= 0),
  max_shared_per_block INTEGER NOT NULL DEFAULT 0 CHECK (max_shared_per_block >= 0), max_shared_per_sm INTEGER NOT
  NULL DEFAULT 0 CHECK (max_shared_per_sm >= 0), registers_per_sm INTEGER NOT NULL DEFAULT 0 CHECK (registers_per_sm
  >= 0), max_blocks_per_sm INTEGER NOT NULL DEFAULT 0 CHECK (max_blocks_per_sm >= 0), l2_bytes INTEGER NOT NULL
  DEFAULT 0 CHECK (l2_bytes >= 0), toolchain_id INTEGER REFERENCES toolchains (id), seen_at TEXT NOT NULL,
  max_sm_clock_mhz REAL NOT NULL DEFAULT 0, memory_clock_mhz REAL NOT NULL DEFAULT 0, memory_bus_bits INTEGER NOT
  NULL DEFAULT 0, {devices}UNIQUE (backend, name, uuid)) STRICT;
CREATE TABLE peaks (id INTEGER PRIMARY KEY, device_id INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  measured INTEGER NOT NULL CHECK (measured IN (0, 1)), recorded_at TEXT NOT NULL, driver TEXT NOT NULL DEFAULT '')
  STRICT;
CREATE INDEX peaks_by_device ON peaks (device_id);
CREATE TABLE kernels (id INTEGER PRIMARY KEY, name TEXT NOT NULL, source_hash TEXT NOT NULL, created_at TEXT NOT
  NULL, UNIQUE (name, source_hash)) STRICT;
CREATE TABLE kernel_files (kernel_id INTEGER NOT NULL REFERENCES kernels (id) ON DELETE CASCADE, position INTEGER
  NOT NULL CHECK (position >= 0), name TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (kernel_id, position)) STRICT,
  WITHOUT ROWID;
CREATE TABLE problems (id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, key TEXT NOT NULL, UNIQUE (kernel, key))
  STRICT;
CREATE TABLE configs (id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (kernel, text))
  STRICT;
CREATE TABLE sessions (id INTEGER PRIMARY KEY, kernel_id INTEGER NOT NULL REFERENCES kernels (id), problem_id
  INTEGER NOT NULL REFERENCES problems (id), device_id INTEGER NOT NULL REFERENCES devices (id), toolchain_id
  INTEGER NOT NULL REFERENCES toolchains (id), arch TEXT NOT NULL, strategy TEXT NOT NULL, budget TEXT NOT NULL,
  seed INTEGER NOT NULL, cold_l2 INTEGER NOT NULL CHECK (cold_l2 IN (0, 1)), space_size INTEGER NOT NULL CHECK
  (space_size >= 0), state TEXT NOT NULL CHECK (state IN ('running', 'interrupted', 'finished', 'failed')), version
  TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT NOT NULL DEFAULT '', uuid TEXT NOT NULL DEFAULT '',
  objective TEXT NOT NULL DEFAULT 'time' CHECK (objective IN ('time', 'energy', 'edp'))) STRICT;
CREATE INDEX sessions_by_identity ON sessions (kernel_id, problem_id, device_id);
CREATE TABLE trials (id INTEGER PRIMARY KEY, session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  config_id INTEGER NOT NULL REFERENCES configs (id), config_index INTEGER NOT NULL, status TEXT NOT NULL CHECK
  (status IN ('ok', 'invalid', 'compile_failed', 'launch_failed', 'timed_out', 'crashed', 'wrong_result',
  'unstable')), evidence TEXT NOT NULL, cubin_hash TEXT NOT NULL, registers INTEGER NOT NULL CHECK (registers >= 0),
  spill_bytes INTEGER NOT NULL CHECK (spill_bytes >= 0), static_shared_bytes INTEGER NOT NULL CHECK
  (static_shared_bytes >= 0), occupancy REAL NOT NULL CHECK (occupancy >= 0), compile_ms REAL NOT NULL, verify_ms
  REAL NOT NULL, measure_ms REAL NOT NULL, verdict_correct INTEGER CHECK (verdict_correct IN (0, 1)), max_abs_error
  REAL, max_rel_error REAL, worst_ratio REAL, mismatches INTEGER, worst_index INTEGER, worst_buffer TEXT,
  verdict_detail TEXT, median_us REAL CHECK (median_us >= 0), ci_low_us REAL, ci_high_us REAL, min_us REAL, rel_iqr
  REAL, cold_l2 INTEGER CHECK (cold_l2 IN (0, 1)), complete INTEGER CHECK (complete IN (0, 1)), sm_clock_mhz REAL,
  temperature_c REAL, power_w REAL, recorded_at TEXT NOT NULL, evidence_id INTEGER REFERENCES evidence_texts (id),
  {trials}UNIQUE (session_id, config_id), CHECK (status <> 'ok' OR median_us IS NOT NULL)) STRICT;
CREATE INDEX trials_by_config ON trials (config_id);
CREATE TABLE samples (trial_id INTEGER PRIMARY KEY REFERENCES trials (id) ON DELETE CASCADE, us BLOB NOT NULL CHECK
  (length(us) % 4 = 0)) STRICT;
CREATE TABLE profiles (trial_id INTEGER PRIMARY KEY REFERENCES trials (id) ON DELETE CASCADE, source TEXT NOT NULL,
  passes INTEGER NOT NULL CHECK (passes >= 0), cold_l2 INTEGER NOT NULL CHECK (cold_l2 IN (0, 1)), recorded_at TEXT
  NOT NULL{profiles}) STRICT;
CREATE TABLE cubins (hash TEXT PRIMARY KEY, arch TEXT NOT NULL, lowered_names TEXT NOT NULL, image BLOB NOT NULL,
  created_at TEXT NOT NULL{cubins}) STRICT;
CREATE TABLE best (id INTEGER PRIMARY KEY, session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  config_id INTEGER NOT NULL REFERENCES configs (id), default_config_id INTEGER REFERENCES configs (id), median_us
  REAL NOT NULL CHECK (median_us >= 0), ci_low_us REAL NOT NULL, ci_high_us REAL NOT NULL, default_us REAL NOT NULL
  CHECK (default_us >= 0), roofline_share REAL NOT NULL, bound TEXT NOT NULL, certified INTEGER NOT NULL CHECK
  (certified IN (0, 1)), p_value REAL NOT NULL, outcome TEXT NOT NULL, checks TEXT NOT NULL, cubin_hash TEXT NOT
  NULL, created_at TEXT NOT NULL, energy_mj REAL{best}) STRICT;
CREATE INDEX best_by_session ON best (session_id);
CREATE TABLE best_ties (best_id INTEGER NOT NULL REFERENCES best (id) ON DELETE CASCADE, position INTEGER NOT NULL
  CHECK (position >= 0), config_id INTEGER NOT NULL REFERENCES configs (id), PRIMARY KEY (best_id, position))
  STRICT, WITHOUT ROWID;
CREATE TABLE checks (id INTEGER PRIMARY KEY, best_id INTEGER NOT NULL REFERENCES best (id) ON DELETE CASCADE,
  toolchain_id INTEGER REFERENCES toolchains (id), version TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN
  ('holds', 'moved', 'slower_than_default', 'wrong', 'failed', 'not_timed')), rounds INTEGER NOT NULL CHECK (rounds
  >= 0), median_us REAL CHECK (median_us > 0), ci_low_us REAL, ci_high_us REAL, default_us REAL CHECK (default_us >
  0), evidence TEXT NOT NULL, stale TEXT NOT NULL, checked_at TEXT NOT NULL, {checks}CHECK (status NOT IN ('holds', 'moved',
  'slower_than_default') OR median_us IS NOT NULL)) STRICT;
CREATE INDEX checks_by_best ON checks (best_id);
CREATE UNIQUE INDEX sessions_by_uuid ON sessions (uuid);
CREATE TABLE evidence_texts (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, text TEXT NOT NULL) STRICT;
CREATE TABLE merge_conflicts (id INTEGER PRIMARY KEY, session_id INTEGER REFERENCES sessions (id) ON DELETE CASCADE,
  kind TEXT NOT NULL, subject TEXT NOT NULL, content TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
CREATE INDEX merge_conflicts_by_hash ON merge_conflicts (hash);
CREATE TABLE metrics (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE counters (trial_id INTEGER NOT NULL REFERENCES trials (id) ON DELETE CASCADE, metric_id INTEGER NOT
  NULL REFERENCES metrics (id), value REAL, PRIMARY KEY (trial_id, metric_id)) STRICT, WITHOUT ROWID;
CREATE TABLE power (trial_id INTEGER PRIMARY KEY REFERENCES trials (id) ON DELETE CASCADE, energy_mj REAL NOT NULL
  CHECK (energy_mj > 0), average_w REAL NOT NULL CHECK (average_w > 0), sm_clock_mhz REAL NOT NULL CHECK
  (sm_clock_mhz >= 0), temperature_c REAL NOT NULL, throttle_reasons INTEGER NOT NULL, launches INTEGER NOT NULL
  CHECK (launches > 0), window_ms REAL NOT NULL CHECK (window_ms > 0), recorded_at TEXT NOT NULL{power}) STRICT;
CREATE TABLE best_pareto (best_id INTEGER NOT NULL REFERENCES best (id) ON DELETE CASCADE, position INTEGER NOT NULL
  CHECK (position >= 0), config_id INTEGER NOT NULL REFERENCES configs (id), median_us REAL NOT NULL CHECK
  (median_us >= 0), energy_mj REAL NOT NULL CHECK (energy_mj > 0), PRIMARY KEY (best_id, position)) STRICT, WITHOUT
  ROWID;
-- since 6
CREATE TABLE best_rounds (best_id INTEGER NOT NULL REFERENCES best (id) ON DELETE CASCADE, position INTEGER NOT NULL
  CHECK (position >= 0), winner_us REAL, default_us REAL, baseline_us REAL, sm_clock_mhz REAL, temperature_c REAL,
  power_w REAL, throttle_reasons INTEGER NOT NULL, PRIMARY KEY (best_id, position)) STRICT, WITHOUT ROWID;
-- since 8
CREATE TABLE source_samples (trial_id INTEGER PRIMARY KEY REFERENCES trials (id) ON DELETE CASCADE, content TEXT NOT
  NULL, recorded_at TEXT NOT NULL) STRICT;
-- since 9
CREATE TABLE best_finalists (best_id INTEGER NOT NULL REFERENCES best (id) ON DELETE CASCADE, position INTEGER NOT NULL
  CHECK (position >= 0), config_id INTEGER NOT NULL REFERENCES configs (id), median_us REAL NOT NULL CHECK (median_us >
  0), PRIMARY KEY (best_id, position)) STRICT, WITHOUT ROWID;
CREATE TABLE peak_rates (peaks_id INTEGER NOT NULL REFERENCES peaks (id) ON DELETE CASCADE, name TEXT NOT NULL, rate
  REAL NOT NULL CHECK (rate >= 0), sm_clock_mhz REAL NOT NULL CHECK (sm_clock_mhz >= 0), PRIMARY KEY (peaks_id,
  name)) STRICT, WITHOUT ROWID;

-- What the pack says of itself: licence, cover, provenance.
CREATE TABLE pack (name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name)) STRICT, WITHOUT ROWID;

-- A kernel's variant (its dtype and flags, as in the keys of its problems) on a device: how many tuned shapes there are
-- and configurations ship, the greatest loss of a shipped pick against the fastest configuration of its shape (0.03: 3 %),
-- how the set was found, how many shapes ship the default because nothing was certified faster, and the rule for untuned
-- shapes with its losses when each shape in turn is left out (NULL: too few shapes to learn from).
CREATE TABLE pack_rules (kernel_id INTEGER NOT NULL REFERENCES kernels (id), device_id INTEGER NOT NULL REFERENCES
  devices (id), variant TEXT NOT NULL, shapes INTEGER NOT NULL CHECK (shapes >= 0), configs INTEGER NOT NULL CHECK
  (configs >= 0), worst_loss REAL NOT NULL, method TEXT NOT NULL, guarded INTEGER NOT NULL CHECK (guarded >= 0), rule
  TEXT, mean_rule_loss REAL, worst_rule_loss REAL, PRIMARY KEY (kernel_id, device_id, variant)) STRICT, WITHOUT ROWID;
