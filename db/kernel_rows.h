// A kernel with its files as rows, for reader and writer alike. Whether the files are those of the hash is asked by
// spec_of (tuned_entries.h), which every user of them calls.
#pragma once

#include "db/records.h"

#include <SQLiteCpp/SQLiteCpp.h>

namespace warptune::db {

KernelRecord read_kernel(SQLite::Database& db, RowId id); // precondition: there is one. Throws SQLite::Exception

} // namespace warptune::db
