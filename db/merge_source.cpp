#include "db/merge_source.h"

#include "db/connection.h"
#include "system/temporary_path.h"

#include <SQLiteCpp/Backup.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warptune::db {

namespace fs = std::filesystem;
constexpr const char* kScratch = ".warptune-merge";
using Opened = Result<std::unique_ptr<SQLite::Database>>;

Result<ScratchFolder> ScratchFolder::make(const fs::path& parent) {
  std::error_code ec;
  fs::create_directories(parent, ec);
  remove_left_behind(parent / kScratch);
  const fs::path path = temporary_path(parent / kScratch);
  if (::mkdir(path.c_str(), 0700) != 0)
    return fail(
        ErrorKind::database,
        fmt::format("cannot make a folder in {} for merging: {}; name an output in a folder that you can write to",
                    parent.string(), std::strerror(errno)));
  return ScratchFolder(path);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ec;
  if (!path_.empty()) fs::remove_all(path_, ec);
}

void copy_database(SQLite::Database& from, const fs::path& to) {
  SQLite::Database target(to.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, busy_timeout_ms());
  SQLite::Backup backup(target, "main", from, "main");
  while (backup.executeStep() != SQLITE_DONE) {
  }
}

Result<void> publish(std::unique_ptr<SQLite::Database> made, const fs::path& file, const fs::path& output,
                     const std::string& otherwise) {
  auto closed = guard(made.get(), output, "write", [&]() -> Result<void> {
    made->exec("PRAGMA synchronous = FULL");
    if (made->execAndGet("PRAGMA wal_checkpoint(TRUNCATE)").getInt() != 0)
      throw SQLite::Exception("its log could not be merged", SQLITE_IOERR);
    return {};
  });
  if (!closed) return closed;
  made.reset();
  if (::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, output.c_str(), RENAME_NOREPLACE) == 0) return {};
  std::error_code ec;
  if (errno == EINVAL && !fs::exists(output, ec) && ::rename(file.c_str(), output.c_str()) == 0) return {};
  return fail(ErrorKind::database,
              fmt::format("cannot write the database {}: {}; {}", output.string(), std::strerror(errno), otherwise));
}

namespace {

// SQLite can merge a log only in the folder of its database, and that folder is read-only: copy both.
Opened open_with_log(const fs::path& file, const fs::path& copy) {
  std::error_code ec;
  fs::copy_file(file, copy, ec);
  if (!ec) fs::copy_file(file.string() + "-wal", copy.string() + "-wal", ec);
  if (ec)
    return fail(ErrorKind::database,
                fmt::format("cannot copy the database {} for merging: {}; free some space, or check "
                            "that it can be read",
                            file.string(), ec.message()));
  return guard(nullptr, file, "open", [&]() -> Opened {
    auto db = std::make_unique<SQLite::Database>(copy.string(), SQLite::OPEN_READWRITE, busy_timeout_ms());
    distrust(*db);
    WT_CHECK(check_schema(*db, file));
    return db;
  });
}

} // namespace

Opened open_source(const fs::path& given, const fs::path& copy) {
  WT_TRY(auto file, check_path(given));
  std::error_code ec;
  if (!fs::exists(file, ec))
    return fail(ErrorKind::database, fmt::format("there is no database {}; check the path", file.string()));
  Opened db = open_read_only(file);
  if (!db && has_log(file) && ::access(file.parent_path().c_str(), W_OK) != 0) db = open_with_log(file, copy);
  if (!db) return db;
  WT_TRY(auto version, guard(db->get(), file, "read", [&] { return check_schema(**db, file); }));
  if (version == 0)
    return fail(ErrorKind::database,
                fmt::format("nothing was recorded in the database {}; leave it out of the merge", file.string()));
  return guard(db->get(), file, "read", [&]() -> Opened {
    // If an index lacks an entry, queries that use it silently miss the row.
    if (const std::string state = (*db)->execAndGet("PRAGMA integrity_check(1)").getString(); state != "ok")
      return fail(
          ErrorKind::database,
          fmt::format(
              "the database {} is damaged ({}); fix it with `sqlite3 {} .recover`, and merge the recovered database",
              file.string(), state, file.string()));
    if (version < kSchemaVersion || lacks_member_columns(**db)) {
      const fs::path newer = copy.string() + ".migrated";
      copy_database(**db, newer);
      auto migrated = std::make_unique<SQLite::Database>(newer.string(), SQLite::OPEN_READWRITE, busy_timeout_ms());
      // The migration may leave impossible rows as they are: the merge skips them later.
      distrust(*migrated);
      migrated->exec("PRAGMA ignore_check_constraints = ON");
      migrate(*migrated, embedded_migrations());
      db = std::move(migrated);
    }
    (*db)->exec("BEGIN"); // the first read takes the snapshot that all later reads use
    return std::move(db);
  });
}

} // namespace warptune::db
