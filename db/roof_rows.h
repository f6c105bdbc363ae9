// Reads and writes a device's roofs (tables peaks and peak_rates). Files with a schema version below 4 store seven of
// the roofs as columns.
#pragma once

#include "db/records.h"
#include "db/statements.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <optional>
#include <vector>

namespace warptune::db {

// Returns the newest roofs of a device. nullopt: there are none, or they are implausible; in the second case, also sets
// `damaged`. Throws SQLite::Exception.
std::optional<Roofs> newest_roofs(SQLite::Database& db, int schema_version, RowId device, bool& damaged);
// Returns all roofs of a device, newest first, without implausible ones. Throws SQLite::Exception.
std::vector<Roofs> all_roofs(SQLite::Database& db, int schema_version, RowId device);
// Call this function within a transaction. Does not store unknown roofs (0).
void insert_roofs(Statements& statements, RowId device, const Roofs& roofs);

} // namespace warptune::db
