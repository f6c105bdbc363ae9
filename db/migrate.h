// Opens a database for writing, which migrates its schema to the newest version (db/migrations.h).
#pragma once

#include "core/result.h"
#include "db/migrations.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <filesystem>
#include <memory>

namespace warptune::db {

// Creates the file and its folders if they do not exist, migrates the schema and enables WAL. `path`: from check_path.
// Errors (database): the file is not a database, has a newer schema, is read-only or is locked; or the disk is full.
Result<std::unique_ptr<SQLite::Database>> open_for_writing(const std::filesystem::path& path);

} // namespace warptune::db
