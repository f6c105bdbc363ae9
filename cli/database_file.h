// Opens a command's database file, which may not exist yet, and merges its log at the end, so that only one file
// remains.
#pragma once

#include "core/result.h"
#include "db/reader.h"

#include <filesystem>
#include <optional>
#include <string>

namespace warptune::cli {

// nullopt if there is no such file.
Result<std::optional<Reader>> open_if_present(const std::filesystem::path& path);

// As open_if_present, for the database of `given` (--db). Error (kind database): --db names a file that does not exist.
Result<std::optional<Reader>> open_named(const std::string& given);

// To be called after the last reader of a command that wrote: SQLite removes the log (FILE-wal) only if a writer is the
// last to close the database.
void settle_database(const std::filesystem::path& path);

} // namespace warptune::cli
