// The write-ahead log of a database that is written to: limits its size, and merges it into the file when the write is
// done. SQLite merges the log when the last connection closes; a reader that keeps the file open (an application
// through wt_open) would otherwise delay that for days.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

namespace warptune::db {

// For this connection: the log is merged every few megabytes and restarted when it grows larger than that, so that only
// a few megabytes remain on the disk.
void bound_log(SQLite::Database& db); // throws SQLite::Exception

// Merges the log into the file; waits a moment for readers in the middle of a query. Returns whether everything is in
// the file now: false while a reader still reads an older state. Throws nothing.
bool settle_log(SQLite::Database& db);

} // namespace warptune::db
