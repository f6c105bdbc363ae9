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

// By rising version: the scripts of db/schema/NNNN_name.sql, carried inside the program, and behind them the columns of
// members that no script holds (db/member_columns.h).
std::vector<Migration> embedded_migrations();

// Applies those newer than the database. Throws SQLite::Exception; the caller guards.
void migrate(SQLite::Database& db, std::span<const Migration> migrations);

} // namespace warptune::db
