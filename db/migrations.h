// Migrations: the steps that make a database's schema. They run in order and in one transaction, so other programs see
// either the old or the new schema. PRAGMA user_version is the schema's version; the table `migrations` lists the
// applied steps.
#pragma once

#include "db/member_columns.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <span>
#include <string>
#include <vector>

namespace warptune::db {

inline constexpr int kApplicationId = 0x57544442; // "WTDB"; warptune and the tool `file` recognise the files by it

struct Migration {
  int version; // the schema's version after this step
  std::string name;
  std::string sql;
};

// Returns the scripts db/schema/NNNN_name.sql, which the program contains, in ascending order. A version that only adds
// members of value types (db/member_columns.h) has an empty script.
std::vector<Migration> embedded_migrations();

// Whether the database lacks columns for members that its version should have.
bool lacks_member_columns(SQLite::Database& db);

// Applies the migrations that are newer than the database, and adds missing columns for members. Throws
// SQLite::Exception, which the caller must catch.
void migrate(SQLite::Database& db, std::span<const Migration> migrations);

} // namespace warptune::db
