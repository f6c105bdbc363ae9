// The write-ahead log beside a database that is written to: how large it may become, and that what it holds is in the
// file when the writer is done. SQLite merges the log when the last connection closes; a reader that has the file open
// (an application through wt_open) would otherwise keep it from that for days.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

namespace warptune::db {

// For this connection: the log is merged every few megabytes and begun anew once it is larger than that, and what is
// left of it on the disk is a few megabytes.
void bound_log(SQLite::Database& db); // throws SQLite::Exception

// Merges the log into the file; waits a moment for readers that are in the midst of a query. Whether all of it is
// there now; not while a reader goes on reading what was there before. Throws nothing.
bool settle_log(SQLite::Database& db);

} // namespace warptune::db
