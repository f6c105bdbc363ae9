-- What an image was when it was stored, bound to its key, its architecture and its names: a reader computes it again
-- (db/cubin_digest.h). Images from before this script get theirs from what they are now.

ALTER TABLE cubins ADD COLUMN digest TEXT NOT NULL DEFAULT '';
UPDATE cubins SET digest = wt_digest(hash || char(10) || arch || char(10) || lowered_names || wt_digest(image));
