// Reads and writes the rows of a kernel and its files. Code that uses the files must call spec_of (stored_kernel.h),
// which checks them against the hash.
#pragma once

#include "db/records.h"

#include <SQLiteCpp/SQLiteCpp.h>

namespace warptune::db {

KernelRecord read_kernel(SQLite::Database& db, RowId id); // precondition: the row exists. Throws SQLite::Exception

} // namespace warptune::db
