// What a command reads it does not write over, nor a database. Knows nothing of the formats that are written.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <vector>

namespace warptune::cli {

// Whether a file is there that SQLite wrote: a database or a pack.
bool is_database(const std::filesystem::path& file);

// Error (kind bad_input): `output` has the name under which SQLite keeps what is not yet in a database that is there
// (FILE-wal, FILE-shm, FILE-journal), so that it would be taken for that, or deleted.
Result<void> refuse_log_name(const std::filesystem::path& output);

// The same, and: `output` is one of `inputs`, by whatever name or link, a database, a directory, or in what is none.
Result<void> refuse_overwriting(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs);

} // namespace warptune::cli
