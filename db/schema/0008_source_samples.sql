-- Where the warps of a configuration were (`warptune profile --source`), as JSON (src/report/source_profile.h).

CREATE TABLE source_samples (
  trial_id    INTEGER PRIMARY KEY REFERENCES trials (id) ON DELETE CASCADE,
  content     TEXT NOT NULL,
  recorded_at TEXT NOT NULL
) STRICT;
