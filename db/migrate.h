// Brings the schema of an open database to the newest version, one step after the other, all in one transaction:
// another program sees the old schema or the new one. PRAGMA user_version holds the version, the table migrations its
// history.
#pragma once

#include "core/result.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace warptune::db {

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

// Creates the file and its folders, takes it to the newest schema and to WAL. `path` as check_path gives it. Errors
// (kind database): not a database, newer schema, read-only, locked, disk full.
Result<std::unique_ptr<SQLite::Database>> open_for_writing(const std::filesystem::path& path);

} // namespace warptune::db
