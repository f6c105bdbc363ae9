// A device's roofs (the tables peaks and peak_rates) as rows, for reader and writer alike. Files from before schema
// 4 hold seven of them as columns.
#pragma once

#include "db/records.h"
#include "db/statements.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <optional>
#include <vector>

namespace warptune::db {

// The newest of a device; nothing where there are none, or where they cannot be true (`damaged`). Throws
// SQLite::Exception.
std::optional<Roofs> newest_roofs(SQLite::Database& db, int schema_version, RowId device, bool& damaged);
// All of a device, the newest first; those that cannot be true are left out. Throws SQLite::Exception.
std::vector<Roofs> all_roofs(SQLite::Database& db, int schema_version, RowId device);
// Within a transaction of the caller's. Unknown ones (0) get no row.
void insert_roofs(Statements& statements, RowId device, const Roofs& roofs);

} // namespace warptune::db
