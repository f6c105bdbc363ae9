// Copies a database as it is at one moment, while other processes read or write it: one file, without a separate log.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <filesystem>

namespace warptune {

// `output` must not exist. The copy appears there complete or not at all. Returns its size in bytes. Errors: bad_input
// if `output` exists; database for everything that Reader::open refuses, damage, a full disk.
Result<std::uintmax_t> backup_database(const std::filesystem::path& database, const std::filesystem::path& output);

} // namespace warptune
