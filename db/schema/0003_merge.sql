-- What merging and large sweeps need: a session's name that is the same in every copy of a database, long texts stored
-- once, and a place for what lost when two copies said different things.
-- wt_digest(text) is ours: 32 hex digits (src/core/sha256.h).

ALTER TABLE sessions ADD COLUMN uuid TEXT NOT NULL DEFAULT '';

-- Sessions made before this script get a name from what cannot change later, so that copies of one file agree. The
-- first trial tells sessions apart that began in the same second.
WITH described AS (
  SELECT s.id, k.name || char(10) || k.source_hash || char(10) || p.key || char(10) || d.backend || char(10) || d.name
    || char(10) || d.uuid || char(10) || s.arch || char(10) || t.driver || char(10) || t.compiler || char(10)
    || s.strategy || char(10) || s.budget || char(10) || s.seed || char(10) || s.cold_l2 || char(10) || s.space_size
    || char(10) || s.version || char(10) || s.started_at || char(10) || coalesce((
      SELECT c.text || char(10) || r.recorded_at || char(10) || quote(r.compile_ms) || char(10) || quote(r.measure_ms)
      FROM trials r JOIN configs c ON c.id = r.config_id WHERE r.session_id = s.id ORDER BY r.id LIMIT 1), '')
    AS content
  FROM sessions s JOIN kernels k ON k.id = s.kernel_id JOIN problems p ON p.id = s.problem_id
    JOIN devices d ON d.id = s.device_id JOIN toolchains t ON t.id = s.toolchain_id),
named AS (SELECT id, wt_digest(content || char(10) || row_number() OVER (PARTITION BY content ORDER BY id)) AS uuid
          FROM described)
UPDATE sessions SET uuid = named.uuid FROM named WHERE named.id = sessions.id;
UPDATE sessions SET uuid = wt_digest('damaged session ' || id) WHERE uuid = '';
CREATE UNIQUE INDEX sessions_by_uuid ON sessions (uuid);

-- Evidence of more than 200 bytes, such as a compiler log that hundreds of configurations share.
CREATE TABLE evidence_texts (
  id   INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE, -- wt_digest(text)
  text TEXT NOT NULL
) STRICT;
-- When it is set, trials.evidence is empty.
ALTER TABLE trials ADD COLUMN evidence_id INTEGER REFERENCES evidence_texts (id);
INSERT INTO evidence_texts (hash, text)
  SELECT wt_digest(evidence), evidence FROM trials WHERE length(CAST(evidence AS BLOB)) > 200 GROUP BY evidence;
UPDATE trials SET evidence_id = (SELECT id FROM evidence_texts WHERE hash = wt_digest(evidence)), evidence = ''
WHERE length(CAST(evidence AS BLOB)) > 200;

-- Two databases that say different things of one row: one stays in its table, the other is kept here as JSON (columns by
-- name, rows it refers to written out, samples and other blobs in hex).
CREATE TABLE merge_conflicts (
  id         INTEGER PRIMARY KEY,
  session_id INTEGER REFERENCES sessions (id) ON DELETE CASCADE, -- NULL: not of one session
  kind       TEXT NOT NULL, -- the table
  subject    TEXT NOT NULL, -- a configuration, a device's name, a hash
  content    TEXT NOT NULL,
  hash       TEXT NOT NULL -- wt_digest(content)
) STRICT;
CREATE INDEX merge_conflicts_by_hash ON merge_conflicts (hash);
