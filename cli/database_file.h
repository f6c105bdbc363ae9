// The database file of a command: it may be absent before, and is one file after.
#pragma once

#include "core/result.h"
#include "db/reader.h"

#include <filesystem>
#include <optional>

namespace warptune::cli {

// Nothing if there is no such file.
Result<std::optional<Reader>> open_if_present(const std::filesystem::path& path);

// After the last reader of a command that wrote: only a writer that closes a database last removes its log (FILE-wal).
void settle_database(const std::filesystem::path& path);

} // namespace warptune::cli
