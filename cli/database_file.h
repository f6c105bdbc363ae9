// Opens a command's database file, which may not exist yet. At the end of the command, merges the database's log, so
// that only one file is left.
#pragma once

#include "core/result.h"
#include "db/reader.h"

#include <filesystem>
#include <optional>
#include <string>

namespace warptune::cli {

// Returns nullopt if the file does not exist.
Result<std::optional<Reader>> open_if_present(const std::filesystem::path& path);

// Opens the database `given` (--db). An empty `given` means the default database, which may be missing. Error
// (database): `given` does not exist.
Result<std::optional<Reader>> open_named(const std::string& given);

// If a command has written to the database, call this function after the command's last reader is closed. SQLite
// removes the log (FILE-wal) only if a writer is the last to close the database.
void settle_database(const std::filesystem::path& path);

} // namespace warptune::cli
