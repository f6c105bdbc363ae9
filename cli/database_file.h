// Opens a command's database file, which may not exist yet, and merges its log at the end, so that only one file
// remains.
#pragma once

#include "core/result.h"
#include "db/reader.h"

#include <filesystem>
#include <optional>

namespace warptune::cli {

// nullopt if there is no such file.
Result<std::optional<Reader>> open_if_present(const std::filesystem::path& path);

// To be called after the last reader of a command that wrote: SQLite removes the log (FILE-wal) only if a writer is the
// last to close the database.
void settle_database(const std::filesystem::path& path);

} // namespace warptune::cli
