// Limits the size of a database's write-ahead log, and merges the log into the file after writing. SQLite merges the
// log when the last connection closes; a reader that keeps the file open (an application, through wt_open) could
// otherwise delay that for days.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

namespace warptune::db {

// Configures this connection to merge the log every few megabytes and restart it when it grows beyond that, so that
// only a few megabytes remain on disk.
void bound_log(SQLite::Database& db); // throws SQLite::Exception

// Merges the log into the file; waits briefly for running queries if it may wait, but never longer than
// $WARPTUNE_DB_TIMEOUT. Returns whether everything is now in the file: false while a reader still uses an older state.
// Throws nothing.
bool settle_log(SQLite::Database& db, bool may_wait = true);

} // namespace warptune::db
