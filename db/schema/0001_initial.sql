-- The first schema: what was tuned, where, with which tools, and what came out.
-- Rows are only added, never rewritten, but for a device's description and a session's state.
-- Times ("..._at") are ISO 8601 UTC. A real column that may be NULL holds NULL for "not a number".

CREATE TABLE toolchains (
  id       INTEGER PRIMARY KEY,
  driver   TEXT NOT NULL,
  compiler TEXT NOT NULL,
  UNIQUE (driver, compiler)
) STRICT;

-- A device by its backend, name and UUID; the UUID is empty for a recording.
CREATE TABLE devices (
  id                    INTEGER PRIMARY KEY,
  backend               TEXT NOT NULL,
  name                  TEXT NOT NULL,
  uuid                  TEXT NOT NULL,
  arch                  TEXT NOT NULL,
  memory_bytes          INTEGER NOT NULL DEFAULT 0 CHECK (memory_bytes >= 0),
  sm_count              INTEGER NOT NULL DEFAULT 0 CHECK (sm_count >= 0),
  compute_capability    INTEGER NOT NULL DEFAULT 0 CHECK (compute_capability >= 0),
  warp_size             INTEGER NOT NULL DEFAULT 0 CHECK (warp_size >= 0),
  max_threads_per_block INTEGER NOT NULL DEFAULT 0 CHECK (max_threads_per_block >= 0),
  max_threads_per_sm    INTEGER NOT NULL DEFAULT 0 CHECK (max_threads_per_sm >= 0),
  max_shared_per_block  INTEGER NOT NULL DEFAULT 0 CHECK (max_shared_per_block >= 0),
  max_shared_per_sm     INTEGER NOT NULL DEFAULT 0 CHECK (max_shared_per_sm >= 0),
  registers_per_sm      INTEGER NOT NULL DEFAULT 0 CHECK (registers_per_sm >= 0),
  max_blocks_per_sm     INTEGER NOT NULL DEFAULT 0 CHECK (max_blocks_per_sm >= 0),
  l2_bytes              INTEGER NOT NULL DEFAULT 0 CHECK (l2_bytes >= 0),
  toolchain_id          INTEGER REFERENCES toolchains (id), -- the one last seen
  seen_at               TEXT NOT NULL,
  UNIQUE (backend, name, uuid)
) STRICT;

-- Ceilings of a device; the newest row counts.
CREATE TABLE peaks (
  id             INTEGER PRIMARY KEY,
  device_id      INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  dram_read_gbs  REAL NOT NULL CHECK (dram_read_gbs >= 0),
  dram_copy_gbs  REAL NOT NULL CHECK (dram_copy_gbs >= 0),
  dram_write_gbs REAL NOT NULL CHECK (dram_write_gbs >= 0),
  fp32_tflops    REAL NOT NULL CHECK (fp32_tflops >= 0),
  fp64_tflops    REAL NOT NULL CHECK (fp64_tflops >= 0),
  fp16_tflops    REAL NOT NULL CHECK (fp16_tflops >= 0),
  tensor_tflops  REAL NOT NULL CHECK (tensor_tflops >= 0),
  measured       INTEGER NOT NULL CHECK (measured IN (0, 1)),
  recorded_at    TEXT NOT NULL
) STRICT;
CREATE INDEX peaks_by_device ON peaks (device_id);

-- A kernel as it was when tuned; its files make the database complete without a template folder.
CREATE TABLE kernels (
  id          INTEGER PRIMARY KEY,
  name        TEXT NOT NULL,
  source_hash TEXT NOT NULL,
  created_at  TEXT NOT NULL,
  UNIQUE (name, source_hash)
) STRICT;

CREATE TABLE kernel_files (
  kernel_id INTEGER NOT NULL REFERENCES kernels (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL CHECK (position >= 0),
  name      TEXT NOT NULL,
  text      TEXT NOT NULL,
  PRIMARY KEY (kernel_id, position)
) STRICT, WITHOUT ROWID;

-- One instance of an operator: its dims, dtype and flags as canonical text.
CREATE TABLE problems (
  id     INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  key    TEXT NOT NULL,
  UNIQUE (kernel, key)
) STRICT;

CREATE TABLE configs (
  id     INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  text   TEXT NOT NULL, -- "VEC=4,UNROLL=2"
  UNIQUE (kernel, text)
) STRICT;

CREATE TABLE sessions (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  kernel_id    INTEGER NOT NULL REFERENCES kernels (id),
  problem_id   INTEGER NOT NULL REFERENCES problems (id),
  device_id    INTEGER NOT NULL REFERENCES devices (id),
  toolchain_id INTEGER NOT NULL REFERENCES toolchains (id),
  arch         TEXT NOT NULL,
  strategy     TEXT NOT NULL,
  budget       TEXT NOT NULL,
  seed         INTEGER NOT NULL, -- the 64 bits of an unsigned number
  cold_l2      INTEGER NOT NULL CHECK (cold_l2 IN (0, 1)),
  space_size   INTEGER NOT NULL CHECK (space_size >= 0),
  state        TEXT NOT NULL CHECK (state IN ('running', 'interrupted', 'finished', 'failed')),
  version      TEXT NOT NULL, -- of warptune
  started_at   TEXT NOT NULL,
  ended_at     TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX sessions_by_identity ON sessions (kernel_id, problem_id, device_id);

-- verdict_* are NULL together when the candidate was not verified; timing columns when it was not timed.
CREATE TABLE trials (
  id                  INTEGER PRIMARY KEY,
  session_id          INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  config_id           INTEGER NOT NULL REFERENCES configs (id),
  config_index        INTEGER NOT NULL,
  status              TEXT NOT NULL CHECK (status IN ('ok', 'invalid', 'compile_failed', 'launch_failed', 'timed_out',
                                                      'crashed', 'wrong_result', 'unstable')),
  evidence            TEXT NOT NULL,
  cubin_hash          TEXT NOT NULL,
  registers           INTEGER NOT NULL CHECK (registers >= 0),
  spill_bytes         INTEGER NOT NULL CHECK (spill_bytes >= 0),
  static_shared_bytes INTEGER NOT NULL CHECK (static_shared_bytes >= 0),
  occupancy           REAL NOT NULL CHECK (occupancy >= 0),
  compile_ms          REAL NOT NULL,
  verify_ms           REAL NOT NULL,
  measure_ms          REAL NOT NULL,
  verdict_correct     INTEGER CHECK (verdict_correct IN (0, 1)),
  max_abs_error       REAL,
  max_rel_error       REAL,
  worst_ratio         REAL,
  mismatches          INTEGER,
  worst_index         INTEGER,
  worst_buffer        TEXT,
  verdict_detail      TEXT,
  median_us           REAL CHECK (median_us >= 0),
  ci_low_us           REAL,
  ci_high_us          REAL,
  min_us              REAL,
  rel_iqr             REAL,
  cold_l2             INTEGER CHECK (cold_l2 IN (0, 1)),
  complete            INTEGER CHECK (complete IN (0, 1)),
  sm_clock_mhz        REAL,
  temperature_c       REAL,
  power_w             REAL,
  recorded_at         TEXT NOT NULL,
  UNIQUE (session_id, config_id),
  CHECK (status <> 'ok' OR median_us IS NOT NULL)
) STRICT;
CREATE INDEX trials_by_config ON trials (config_id);

CREATE TABLE samples (
  trial_id INTEGER PRIMARY KEY REFERENCES trials (id) ON DELETE CASCADE,
  us       BLOB NOT NULL CHECK (length(us) % 4 = 0) -- little-endian float32, in the order measured
) STRICT;

CREATE TABLE counters (
  trial_id INTEGER NOT NULL REFERENCES trials (id) ON DELETE CASCADE,
  name     TEXT NOT NULL,
  value    REAL,
  PRIMARY KEY (trial_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE cubins (
  hash          TEXT PRIMARY KEY,
  arch          TEXT NOT NULL,
  lowered_names TEXT NOT NULL, -- one a line
  image         BLOB NOT NULL,
  created_at    TEXT NOT NULL
) STRICT;

-- The outcome of a session's final rounds; kernel, problem and device are the session's.
CREATE TABLE best (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id        INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  config_id         INTEGER NOT NULL REFERENCES configs (id),
  default_config_id INTEGER REFERENCES configs (id),
  median_us         REAL NOT NULL CHECK (median_us >= 0),
  ci_low_us         REAL NOT NULL,
  ci_high_us        REAL NOT NULL,
  default_us        REAL NOT NULL CHECK (default_us >= 0), -- 0: the default did not run
  roofline_share    REAL NOT NULL,
  bound             TEXT NOT NULL,
  certified         INTEGER NOT NULL CHECK (certified IN (0, 1)),
  p_value           REAL NOT NULL,
  outcome           TEXT NOT NULL,
  checks            TEXT NOT NULL,
  cubin_hash        TEXT NOT NULL,
  created_at        TEXT NOT NULL
) STRICT;
CREATE INDEX best_by_session ON best (session_id);

CREATE TABLE best_ties (
  best_id   INTEGER NOT NULL REFERENCES best (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL CHECK (position >= 0),
  config_id INTEGER NOT NULL REFERENCES configs (id),
  PRIMARY KEY (best_id, position)
) STRICT, WITHOUT ROWID;
