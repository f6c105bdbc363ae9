// Code shared by reader and writer: opens an SQLite file, checks that it is a warptune database, and describes every
// SQLite failure in one sentence. `guard` catches SQLiteCpp's exceptions, so that none leaves db/.
#pragma once

#include "core/result.h"
#include "db/lock_timeout.h"
#include "db/migrations.h"
#include "db/schema_check.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace warptune::db {

// Makes the error sentence for a failure of `action` ("open", "write") on `path`. `db` may be null; it helps to
// determine the cause.
Error explain(const SQLite::Exception& e, sqlite3* db, const std::filesystem::path& path, const std::string& action);

// The error of a command that writes `output`, which has no --db: names `output` instead of the temporary file `used`,
// and `option` instead of --db. `option` may be empty: the output has no option.
Error about_output(Error error, const std::filesystem::path& used, const std::filesystem::path& output,
                   const std::string& option);

// Runs `f` and returns a thrown exception as an error.
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

// Returns an absolute path, so that SQLite interprets no name specially. Fails if the path is not a file.
Result<std::filesystem::path> check_path(const std::filesystem::path& path);

// Fails if the open file belongs to another program or to a newer warptune, or lacks parts of the schema of its
// version. Version 0: a file without tables.
Result<int> check_schema(SQLite::Database& db, const std::filesystem::path& path);

// Opens an existing file for reading and never changes it. If locking is impossible, reads without locks. Errors: a
// read-only folder with a log that is not merged yet, and all errors of check_schema.
Result<std::unique_ptr<SQLite::Database>> open_read_only(const std::filesystem::path& path);

bool has_log(const std::filesystem::path& path); // whether the database has a non-empty write-ahead log

std::string utc_now(); // "2025-01-31T12:00:00Z"

} // namespace warptune::db
