// Code that reader and writer share. It opens an SQLite file, checks that the file is a warptune database, and
// describes every SQLite failure in one sentence. `guard` catches SQLiteCpp's exceptions, so that no exception leaves
// db/.
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

// Makes the error for a failure of `action` ("open", "write") on `path`. `db` helps to find the cause, and may be null.
Error explain(const SQLite::Exception& e, sqlite3* db, const std::filesystem::path& path, const std::string& action);

// Changes the error of a command that writes `output` through a temporary file `used`: the message then names `output`
// in place of `used`, and `option` in place of --db. `option`: the command's option for `output`; empty: the command
// has none.
Error about_output(Error error, const std::filesystem::path& used, const std::filesystem::path& output,
                   const std::string& option);

// Runs `f`. If `f` throws an exception, returns it as an Error.
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

// Whether `folder` is the run folder of a shared sweep (cluster/run_folder.h), which only contains databases.
bool is_run_folder(const std::filesystem::path& folder);

// Returns the absolute path, because SQLite gives some relative paths a special meaning. Error: the path is not a file.
Result<std::filesystem::path> check_path(const std::filesystem::path& path);

// Returns the version of the open file's schema; 0: the file has no tables. Error: the file belongs to another program
// or to a newer warptune, or lacks parts of its version's schema.
Result<int> check_schema(SQLite::Database& db, const std::filesystem::path& path);

// Opens an existing file for reading and never changes it. If locking is not possible, reads without locks. Errors:
// those of check_schema. It is also an error if the folder is read-only and the database has a log that is not merged
// yet.
Result<std::unique_ptr<SQLite::Database>> open_read_only(const std::filesystem::path& path);

bool has_log(const std::filesystem::path& path); // whether the database has a write-ahead log that is not empty

} // namespace warptune::db
