// Copies the state of a database at one moment into one file without a separate log, even while other processes read or
// write it.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <filesystem>

namespace warptune {

// `output` must not exist. The file appears there only when the copy is complete. Returns its size in bytes. Errors:
// bad_input if `output` exists; database for everything that Reader::open refuses, damage, a full disk.
Result<std::uintmax_t> backup_database(const std::filesystem::path& database, const std::filesystem::path& output);

} // namespace warptune
