// Checks whether a database has the schema that the migrations make. The file may be untrusted: with a trigger,
// a changed table, or a view in place of a table, warptune's statements would run SQL from that file.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <string>

namespace warptune::db {

// Returns the first object that does not belong in schema `version`: "view trials"; empty if there is none. Additional
// plain tables with their indexes are allowed, because no warptune statement names them. A missing table is reported by
// the statement that needs it.
std::string foreign_schema(SQLite::Database& db, int version);

// Disables triggers, views, functions with side effects in the schema, and schema changes except by ALTER TABLE.
void distrust(SQLite::Database& db);

} // namespace warptune::db
