-- What `warptune verify` found when it looked at a result again. Rows are only added, never rewritten: the newest says
-- how the result stands, the others how it came there.
CREATE TABLE checks (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  best_id      INTEGER NOT NULL REFERENCES best (id) ON DELETE CASCADE,
  toolchain_id INTEGER REFERENCES toolchains (id), -- of the device it ran on; NULL: no device was at hand
  version      TEXT NOT NULL,                      -- of warptune
  status       TEXT NOT NULL CHECK (status IN ('holds', 'moved', 'slower_than_default', 'wrong', 'failed',
                                               'not_timed')),
  rounds       INTEGER NOT NULL CHECK (rounds >= 0), -- that gave a time
  median_us    REAL CHECK (median_us > 0),           -- NULL, as the interval: not timed
  ci_low_us    REAL,
  ci_high_us   REAL,
  default_us   REAL CHECK (default_us > 0), -- NULL: the default did not run
  evidence     TEXT NOT NULL,               -- why the status, a sentence
  stale        TEXT NOT NULL,               -- what has changed since the result was stored; empty: nothing
  checked_at   TEXT NOT NULL,
  CHECK (status NOT IN ('holds', 'moved', 'slower_than_default') OR median_us IS NOT NULL)
) STRICT;
CREATE INDEX checks_by_best ON checks (best_id);
