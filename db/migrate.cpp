#include "db/migrate.h"

#include "db/connection.h"
#include "db/digest.h"
#include "embedded/db_schema.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <sqlite3.h>
#include <thread>

namespace warptune::db {

namespace fs = std::filesystem;

std::vector<Migration> embedded_migrations() {
  std::vector<Migration> migrations;
  for (const embedded::db_schema::File& file : embedded::db_schema::files()) {
    int version = 0;
    std::from_chars(file.name.data(), file.name.data() + file.name.size(), version);
    migrations.push_back({version, std::string(file.name), std::string(file.text)});
  }
  for (int version = kColumnsByScript + 1; version <= kSchemaVersion; ++version) {
    auto step =
        std::find_if(migrations.begin(), migrations.end(), [&](const Migration& m) { return m.version == version; });
    if (step == migrations.end()) step = migrations.insert(step, {version, fmt::format("{:04}_members", version), {}});
    for (const MemberColumn& column : member_columns())
      if (column.since == version)
        step->sql += fmt::format("\nALTER TABLE {} ADD COLUMN {};", column.table, column.definition);
  }
  std::sort(migrations.begin(), migrations.end(),
            [](const Migration& a, const Migration& b) { return a.version < b.version; });
  return migrations;
}

namespace {

// WAL lets readers work beside a writer. SQLite does not wait by itself while somebody else changes the mode.
void enable_wal(SQLite::Database& db) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(busy_timeout_ms());
  for (;;) {
    try {
      const std::string mode = db.execAndGet("PRAGMA journal_mode = WAL").getString();
      // A file system without shared memory keeps a rollback journal, which needs every sync to be safe.
      db.exec(mode == "wal" ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
      return;
    } catch (const SQLite::Exception& e) {
      if (e.getErrorCode() != SQLITE_BUSY || std::chrono::steady_clock::now() > until) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

} // namespace

void migrate(SQLite::Database& db, std::span<const Migration> migrations) {
  add_digest_function(db);
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  // Read again under the write lock: another program may have been quicker.
  const int found = db.execAndGet("PRAGMA user_version").getInt();
  int version = found;
  for (const Migration& migration : migrations) {
    if (migration.version <= version) continue;
    if (version == 0)
      db.exec("CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, "
              "applied_at TEXT NOT NULL) STRICT");
    db.exec(migration.sql);
    SQLite::Statement history(db, "INSERT INTO migrations VALUES (?, ?, ?)");
    history.bind(1, migration.version);
    history.bind(2, migration.name);
    history.bind(3, utc_now());
    history.exec();
    version = migration.version;
  }
  if (version == found) return;
  db.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  db.exec("PRAGMA user_version = " + std::to_string(version));
  transaction.commit();
}

Result<std::unique_ptr<SQLite::Database>> open_for_writing(const fs::path& path) {
  using Opened = Result<std::unique_ptr<SQLite::Database>>;
  std::error_code ec;
  fs::create_directories(path.parent_path(), ec);
  if (ec)
    return fail(ErrorKind::database,
                fmt::format("cannot make the folder {} for the database: {}; name another file with "
                            "--db or WARPTUNE_DB",
                            path.parent_path().string(), ec.message()));
  auto opened = guard(nullptr, path, "open", [&]() -> Opened {
    return std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                              busy_timeout_ms());
  });
  if (!opened) return opened;
  SQLite::Database& db = **opened;
  const Result<void> ready = guard(&db, path, "open", [&]() -> Result<void> {
    db.exec("PRAGMA trusted_schema = OFF");
    WT_TRY(int version, check_schema(db, path));
    if (sqlite3_db_readonly(db.getHandle(), "main") == 1) throw SQLite::Exception("read-only", SQLITE_READONLY);
    enable_wal(db);
    if (version < kSchemaVersion) migrate(db, embedded_migrations());
    db.exec("PRAGMA foreign_keys = ON");
    return {};
  });
  WT_CHECK(ready);
  return opened;
}

} // namespace warptune::db
