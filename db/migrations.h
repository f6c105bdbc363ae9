// The steps that make a database's schema, run in order in one transaction: other programs see either the old schema or
// the new one. PRAGMA user_version holds the version; the table `migrations` holds its history.
#pragma once

#include "db/member_columns.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <span>
#include <string>
#include <vector>

namespace warptune::db {

inline constexpr int kApplicationId = 0x57544442; // "WTDB", so that warptune and the tool `file` recognise the files

struct Migration {
  int version; // the schema version after the script
  std::string name;
  std::string sql;
};

// The scripts of db/schema/NNNN_name.sql, embedded in the program, by ascending version. A version that only adds
// members of values (db/member_columns.h) has an empty script.
std::vector<Migration> embedded_migrations();

// Whether the database lacks columns of members that its version should have.
bool lacks_member_columns(SQLite::Database& db);

// Applies the migrations newer than the database, and adds missing member columns. Throws SQLite::Exception; the caller
// must catch it.
void migrate(SQLite::Database& db, std::span<const Migration> migrations);

} // namespace warptune::db
