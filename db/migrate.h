// Opens a database for writing, which brings its schema to the newest version (db/migrations.h).
#pragma once

#include "core/result.h"
#include "db/migrations.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <filesystem>
#include <memory>

namespace warptune::db {

// Creates the file and its folders, migrates it to the newest schema and enables WAL. `path`: as returned by
// check_path. Errors (kind database): not a database, newer schema, read-only, locked, disk full.
Result<std::unique_ptr<SQLite::Database>> open_for_writing(const std::filesystem::path& path);

} // namespace warptune::db
