-- The time of each correct configuration that took part in the finals.

-- median_us: measured in the rounds of the finals, at the same clock as best.median_us.
CREATE TABLE best_finalists (
  best_id   INTEGER NOT NULL REFERENCES best (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL CHECK (position >= 0),
  config_id INTEGER NOT NULL REFERENCES configs (id),
  median_us REAL NOT NULL CHECK (median_us > 0),
  PRIMARY KEY (best_id, position)
) STRICT, WITHOUT ROWID;
