// Whether the schema of a database is what the migrations make. A file may come from anywhere: a view in the place of a
// table, a trigger or a changed table would be SQL of its author that our statements run.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <string>

namespace warptune::db {

// What does not belong in a database of schema `version`: "the view trials"; empty: nothing. Plain tables of other
// names may be there, with their indexes: none of our statements names them. A table that lacks is found by the
// statement that needs it.
std::string foreign_schema(SQLite::Database& db, int version);

// No triggers, no views, no functions with effects from the schema, no changes of the schema but by ALTER TABLE.
void distrust(SQLite::Database& db);

} // namespace warptune::db
