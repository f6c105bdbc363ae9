-- The rounds of the finals with the clock and the power of each.

-- NULL: it took no part in the round, or the sensor is not there.
CREATE TABLE best_rounds (
  best_id          INTEGER NOT NULL REFERENCES best (id) ON DELETE CASCADE,
  position         INTEGER NOT NULL CHECK (position >= 0),
  winner_us        REAL,
  default_us       REAL,
  baseline_us      REAL,
  sm_clock_mhz     REAL,
  temperature_c    REAL,
  power_w          REAL, -- the average of the last second
  throttle_reasons INTEGER NOT NULL, -- NVML's bits
  PRIMARY KEY (best_id, position)
) STRICT, WITHOUT ROWID;
