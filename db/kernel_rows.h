// Reads and writes a kernel with its files as rows. All users of the files must call spec_of (stored_kernel.h), which
// checks that they match the hash.
#pragma once

#include "db/records.h"

#include <SQLiteCpp/SQLiteCpp.h>

namespace warptune::db {

KernelRecord read_kernel(SQLite::Database& db, RowId id); // precondition: the row exists. Throws SQLite::Exception

} // namespace warptune::db
