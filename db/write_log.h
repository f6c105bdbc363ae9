// Keeps a database's write-ahead log small, and merges it into the file after writing. SQLite merges the log only when
// the last connection is closed. A reader that keeps the file open (such as an application, through wt_open) could
// delay this merge for days.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

namespace warptune::db {

// Makes this connection merge the log whenever it has grown by a few megabytes. If readers let the log grow further,
// waits for them briefly, then restarts the log and cuts it to a few megabytes.
void bound_log(SQLite::Database& db); // throws SQLite::Exception

// Merges the log into the file. `may_wait`: whether to wait for running queries, briefly and never longer than
// $WARPTUNE_DB_TIMEOUT. Returns whether everything is in the file now; false if a reader still uses an older state.
// Does not throw.
bool settle_log(SQLite::Database& db, bool may_wait = true);

} // namespace warptune::db
