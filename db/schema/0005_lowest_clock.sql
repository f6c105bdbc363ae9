-- The lowest SM clock that was read while a trial was timed. NULL: timed before this script, or not known.

ALTER TABLE trials ADD COLUMN sm_clock_min_mhz REAL;
