-- What a report says beyond times: what the hardware counted, every ceiling of a device, energy, what a session was to
-- minimise.

-- A counter's name once, however many trials have it.
CREATE TABLE metrics (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE -- "dram__bytes_read.sum"
) STRICT;
INSERT INTO metrics (name) SELECT DISTINCT name FROM counters ORDER BY name;
CREATE TABLE counters_by_metric (
  trial_id  INTEGER NOT NULL REFERENCES trials (id) ON DELETE CASCADE,
  metric_id INTEGER NOT NULL REFERENCES metrics (id),
  value     REAL, -- of the whole launch sequence
  PRIMARY KEY (trial_id, metric_id)
) STRICT, WITHOUT ROWID;
INSERT INTO counters_by_metric SELECT c.trial_id, m.id, c.value FROM counters c JOIN metrics m ON m.name = c.name;
DROP TABLE counters;
ALTER TABLE counters_by_metric RENAME TO counters;

-- How a trial's counters came about: runs of their own, never the timed ones.
CREATE TABLE profiles (
  trial_id    INTEGER PRIMARY KEY REFERENCES trials (id) ON DELETE CASCADE,
  source      TEXT NOT NULL, -- "CUPTI 13.0"
  passes      INTEGER NOT NULL CHECK (passes >= 0),
  cold_l2     INTEGER NOT NULL CHECK (cold_l2 IN (0, 1)),
  recorded_at TEXT NOT NULL
) STRICT;
INSERT INTO profiles SELECT t.id, '', 0, s.cold_l2, t.recorded_at FROM trials t JOIN sessions s ON s.id = t.session_id
WHERE t.id IN (SELECT trial_id FROM counters);

-- Energy of one launch sequence, from a run of many back to back.
CREATE TABLE power (
  trial_id         INTEGER PRIMARY KEY REFERENCES trials (id) ON DELETE CASCADE,
  energy_mj        REAL NOT NULL CHECK (energy_mj > 0), -- millijoules
  average_w        REAL NOT NULL CHECK (average_w > 0),
  sm_clock_mhz     REAL NOT NULL CHECK (sm_clock_mhz >= 0),
  temperature_c    REAL NOT NULL,
  throttle_reasons INTEGER NOT NULL, -- NVML's bits
  launches         INTEGER NOT NULL CHECK (launches > 0),
  window_ms        REAL NOT NULL CHECK (window_ms > 0),
  recorded_at      TEXT NOT NULL
) STRICT;

ALTER TABLE sessions ADD COLUMN objective TEXT NOT NULL DEFAULT 'time' CHECK (objective IN ('time', 'energy', 'edp'));
ALTER TABLE best ADD COLUMN energy_mj REAL; -- NULL: not measured
-- The finalists that no other beats in both time and energy, from fast to slow.
CREATE TABLE best_pareto (
  best_id   INTEGER NOT NULL REFERENCES best (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL CHECK (position >= 0),
  config_id INTEGER NOT NULL REFERENCES configs (id),
  median_us REAL NOT NULL CHECK (median_us >= 0),
  energy_mj REAL NOT NULL CHECK (energy_mj > 0),
  PRIMARY KEY (best_id, position)
) STRICT, WITHOUT ROWID;

-- 0: not known.
ALTER TABLE devices ADD COLUMN max_sm_clock_mhz REAL NOT NULL DEFAULT 0;
ALTER TABLE devices ADD COLUMN memory_clock_mhz REAL NOT NULL DEFAULT 0;
ALTER TABLE devices ADD COLUMN memory_bus_bits INTEGER NOT NULL DEFAULT 0;

-- Ceilings by name (roof_names() in src/core/device.h), so that one more is no new column.
CREATE TABLE peak_rates (
  peaks_id     INTEGER NOT NULL REFERENCES peaks (id) ON DELETE CASCADE,
  name         TEXT NOT NULL,
  rate         REAL NOT NULL CHECK (rate >= 0), -- 1e9 bytes or 1e12 operations per second, as the name says
  sm_clock_mhz REAL NOT NULL CHECK (sm_clock_mhz >= 0), -- while it was measured; 0: not known
  PRIMARY KEY (peaks_id, name)
) STRICT, WITHOUT ROWID;
INSERT INTO peak_rates
  SELECT id, 'dram_read_gbs', dram_read_gbs, 0 FROM peaks WHERE dram_read_gbs >= 0 UNION ALL
  SELECT id, 'dram_copy_gbs', dram_copy_gbs, 0 FROM peaks WHERE dram_copy_gbs >= 0 UNION ALL
  SELECT id, 'dram_write_gbs', dram_write_gbs, 0 FROM peaks WHERE dram_write_gbs >= 0 UNION ALL
  SELECT id, 'fp32_tflops', fp32_tflops, 0 FROM peaks WHERE fp32_tflops >= 0 UNION ALL
  SELECT id, 'fp64_tflops', fp64_tflops, 0 FROM peaks WHERE fp64_tflops >= 0 UNION ALL
  SELECT id, 'fp16_tflops', fp16_tflops, 0 FROM peaks WHERE fp16_tflops >= 0 UNION ALL
  SELECT id, 'tensor_tflops', tensor_tflops, 0 FROM peaks WHERE tensor_tflops >= 0;
ALTER TABLE peaks DROP COLUMN dram_read_gbs;
ALTER TABLE peaks DROP COLUMN dram_copy_gbs;
ALTER TABLE peaks DROP COLUMN dram_write_gbs;
ALTER TABLE peaks DROP COLUMN fp32_tflops;
ALTER TABLE peaks DROP COLUMN fp64_tflops;
ALTER TABLE peaks DROP COLUMN fp16_tflops;
ALTER TABLE peaks DROP COLUMN tensor_tflops;
ALTER TABLE peaks ADD COLUMN driver TEXT NOT NULL DEFAULT ''; -- under which they were measured
