// The steps that make a database's schema, one after the other, all in one transaction: another program sees the old
// schema or the new one. PRAGMA user_version holds the version, the table migrations its history.
#pragma once

#include "db/member_columns.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <span>
#include <string>
#include <vector>

namespace warptune::db {

inline constexpr int kApplicationId = 0x57544442; // "WTDB", so that `file` and we know our files

struct Migration {
  int version; // after the script
  std::string name;
  std::string sql;
};

// By rising version: the scripts of db/schema/NNNN_name.sql, carried inside the program; empty where only members of
// values (db/member_columns.h) brought the schema.
std::vector<Migration> embedded_migrations();

// Whether it has not all columns of members that its version has.
bool lacks_member_columns(SQLite::Database& db);

// Applies those newer than the database, and adds the columns of members that it lacks. Throws SQLite::Exception; the
// caller guards.
void migrate(SQLite::Database& db, std::span<const Migration> migrations);

} // namespace warptune::db
