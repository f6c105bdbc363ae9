// What reader and writer share: opening an SQLite file, recognising it as ours, and turning every way in which SQLite
// can fail into one sentence. SQLiteCpp's exceptions end here (guard); nothing outside db/ sees them.
#pragma once

#include "core/result.h"
#include "db/migrations.h"
#include "db/schema_check.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace warptune::db {

// $WARPTUNE_DB_TIMEOUT in seconds, else 10: how long to wait for a lock that another program holds.
int busy_timeout_ms();

// The sentence for a failure of `action` ("open", "write") on `path`. `db` may be null; it refines the cause.
Error explain(const SQLite::Exception& e, sqlite3* db, const std::filesystem::path& path, const std::string& action);

// Runs `f`; what it throws becomes an error.
template <class F>
auto guard(SQLite::Database* db, const std::filesystem::path& path, const std::string& action, F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const SQLite::Exception& e) {
    return fail(explain(e, db ? db->getHandle() : nullptr, path, action));
  } catch (const std::exception& e) {
    return fail(ErrorKind::internal, "cannot " + action + " the database " + path.string() + ": " + e.what());
  }
}

// Absolute, so that SQLite gives no name a special meaning. Fails for what is no file.
Result<std::filesystem::path> check_path(const std::filesystem::path& path);

// Fails when the open file belongs to another program or to a newer warptune, or has a schema that its version does not
// have. Version 0: a file without tables.
Result<int> check_schema(SQLite::Database& db, const std::filesystem::path& path);

// Opens an existing file for reading and never changes it; where not even a lock can be had, as it lies there. Errors:
// a read-only folder with a log that is not merged yet, and whatever check_schema says.
Result<std::unique_ptr<SQLite::Database>> open_read_only(const std::filesystem::path& path);

bool has_log(const std::filesystem::path& path); // a write-ahead log that is not empty lies beside it

std::string utc_now(); // "2025-01-31T12:00:00Z"

} // namespace warptune::db
