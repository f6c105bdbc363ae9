// Checks whether the schema of a database is the one that the migrations make. A file may come from anywhere: with a
// trigger, a changed table, or a view in place of a table, warptune's statements would run SQL of the file's author.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <string>

namespace warptune::db {

// The first thing that does not belong in a database of schema `version`: "the view trials"; empty: nothing. Additional
// plain tables with their indexes are allowed, because no statement of warptune names them. A missing table is reported
// by the statement that needs it.
std::string foreign_schema(SQLite::Database& db, int version);

// Forbids triggers, views, functions with side effects in the schema, and changes of the schema except by ALTER TABLE.
void distrust(SQLite::Database& db);

} // namespace warptune::db
