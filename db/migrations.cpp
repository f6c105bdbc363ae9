#include "db/migrations.h"

#include "db/digest.h"
#include "embedded/db_schema.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace warptune::db {

std::vector<Migration> embedded_migrations() {
  std::vector<Migration> migrations;
  for (const embedded::db_schema::File& file : embedded::db_schema::files()) {
    int version = 0;
    std::from_chars(file.name.data(), file.name.data() + file.name.size(), version);
    migrations.push_back({version, std::string(file.name), std::string(file.text)});
  }
  for (int version = kColumnsByScript + 1; version <= kSchemaVersion; ++version) {
    const auto step =
        std::find_if(migrations.begin(), migrations.end(), [&](const Migration& m) { return m.version == version; });
    if (step == migrations.end()) migrations.push_back({version, fmt::format("{:04}_members", version), {}});
  }
  std::sort(migrations.begin(), migrations.end(),
            [](const Migration& a, const Migration& b) { return a.version < b.version; });
  return migrations;
}

namespace {

// Columns up to `version` that the database lacks. The version number is not sufficient: all fields of one release
// share a schema version, and the file may have been made after one of them was added and before the next.
std::vector<MemberColumn> missing_columns(SQLite::Database& db, int version) {
  std::vector<MemberColumn> missing;
  for (MemberColumn& column : member_columns()) {
    SQLite::Statement found(db, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
    found.bind(1, column.table);
    found.bind(2, column.name);
    if (column.since <= version && !found.executeStep()) missing.push_back(std::move(column));
  }
  return missing;
}

} // namespace

bool lacks_member_columns(SQLite::Database& db) {
  return !missing_columns(db, db.execAndGet("PRAGMA user_version").getInt()).empty();
}

void migrate(SQLite::Database& db, std::span<const Migration> migrations) {
  add_digest_function(db);
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  // Read again under the write lock: another program may have migrated the file in the meantime.
  const int found = db.execAndGet("PRAGMA user_version").getInt();
  int version = found;
  for (const Migration& migration : migrations) {
    if (migration.version <= version) continue;
    if (version == 0)
      db.exec("CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, "
              "applied_at TEXT NOT NULL) STRICT");
    db.exec(migration.sql);
    SQLite::Statement history(db, "INSERT INTO migrations VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))");
    history.bind(1, migration.version);
    history.bind(2, migration.name);
    history.exec();
    version = migration.version;
  }
  const std::vector<MemberColumn> missing = missing_columns(db, version);
  for (const MemberColumn& column : missing)
    db.exec(fmt::format("ALTER TABLE {} ADD COLUMN {} {}", column.table, column.definition, column.check));
  if (version == found && missing.empty()) return;
  db.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  db.exec("PRAGMA user_version = " + std::to_string(version));
  transaction.commit();
}

} // namespace warptune::db
