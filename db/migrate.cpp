#include "db/migrate.h"

#include "db/connection.h"
#include "db/digest.h"
#include "db/write_log.h"

#include <chrono>
#include <fmt/format.h>
#include <sqlite3.h>
#include <thread>

namespace warptune::db {

namespace fs = std::filesystem;

namespace {

// WAL lets readers work beside a writer. SQLite's busy timeout does not cover another process changing the mode, so
// retry.
void enable_wal(SQLite::Database& db) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(busy_timeout_ms());
  for (;;) {
    try {
      const std::string mode = db.execAndGet("PRAGMA journal_mode = WAL").getString();
      // A file system without shared memory keeps a rollback journal, which is safe only with full syncing.
      bound_log(db);
      db.exec(mode == "wal" ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
      return;
    } catch (const SQLite::Exception& e) {
      if (e.getErrorCode() != SQLITE_BUSY || std::chrono::steady_clock::now() > until) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

} // namespace

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
    distrust(db);
    WT_TRY(int version, check_schema(db, path));
    if (sqlite3_db_readonly(db.getHandle(), "main") == 1) throw SQLite::Exception("read-only", SQLITE_READONLY);
    enable_wal(db);
    add_digest_function(db);
    if (version < kSchemaVersion || lacks_member_columns(db)) migrate(db, embedded_migrations());
    db.exec("PRAGMA foreign_keys = ON");
    return {};
  });
  WT_CHECK(ready);
  return opened;
}

} // namespace warptune::db
