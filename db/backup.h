// Copies a consistent state of a database into one file without a separate log, even while other processes read or
// write the database.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <filesystem>

namespace warptune {

// `output` must not exist. The file appears there only when the copy is complete. Returns its size in bytes. Errors:
// bad_input if `output` exists; database for anything that Reader::open refuses, damage, or a full disk.
Result<std::uintmax_t> backup_database(const std::filesystem::path& database, const std::filesystem::path& output);

} // namespace warptune
