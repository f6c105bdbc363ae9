// Copies a consistent state of a database into a single file without a separate log, even while other processes read or
// write the database.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <filesystem>

namespace warptune {

// `output` must not exist; the file appears there only when the copy is complete. Returns its size in bytes. Errors:
// bad_input if `output` exists; database if Reader::open refuses the file, if it is damaged, or if the disk is full.
Result<std::uintmax_t> backup_database(const std::filesystem::path& database, const std::filesystem::path& output);

} // namespace warptune
