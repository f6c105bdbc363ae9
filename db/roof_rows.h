// Reads and writes a device's roofs (tables peaks and peak_rates). Files older than schema 4 store seven of them as
// columns.
#pragma once

#include "db/records.h"
#include "db/statements.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <optional>
#include <vector>

namespace warptune::db {

// Returns the newest roofs of a device; nullopt if there are none, or if they are implausible (then sets `damaged`).
// Throws SQLite::Exception.
std::optional<Roofs> newest_roofs(SQLite::Database& db, int schema_version, RowId device, bool& damaged);
// Returns all roofs of a device, newest first; implausible ones are left out. Throws SQLite::Exception.
std::vector<Roofs> all_roofs(SQLite::Database& db, int schema_version, RowId device);
// Call it within a transaction. Unknown roofs (0) are not stored.
void insert_roofs(Statements& statements, RowId device, const Roofs& roofs);

} // namespace warptune::db
