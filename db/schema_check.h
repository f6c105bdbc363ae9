// Checks whether a database has the schema that the migrations make. The file may be hostile: if it has a trigger, a
// changed table, or a view in place of a table, warptune's own statements would run SQL from the file.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <string>

namespace warptune::db {

// Returns the first object that does not belong in this schema version, such as "view trials"; empty if there is none.
// Additional plain tables and their indexes are allowed, because warptune's statements do not name them. A missing
// table is not reported here, but by the statement that needs it.
std::string foreign_schema(SQLite::Database& db, int version);

// Turns off triggers, views and direct writes to sqlite_schema. The schema cannot call functions with side effects.
void distrust(SQLite::Database& db);

} // namespace warptune::db
