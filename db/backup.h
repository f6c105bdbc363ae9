// A copy of a database as it is at one moment, while others read or write it: one file, without a log beside it.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <filesystem>

namespace warptune {

// `output` must not exist. The copy appears there whole or not at all. Its size in bytes. Errors: bad_input where
// something is there already; database for whatever Reader::open refuses, damage, a full disk.
Result<std::uintmax_t> backup_database(const std::filesystem::path& database, const std::filesystem::path& output);

} // namespace warptune
