// What a command reads it does not write over, nor a database. Knows nothing of the formats that are written.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <vector>

namespace warptune::cli {

// Whether a file is there that SQLite wrote: a database or a pack.
bool is_database(const std::filesystem::path& file);

// Error (kind bad_input): `output` is one of `inputs`, by whatever name or link, or a database.
Result<void> refuse_overwriting(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs);

} // namespace warptune::cli
