// Which files an output may replace: one rule for all commands (docs/database.md). Does not depend on the written
// formats.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace warptune::cli {

// Whether the file exists and is an SQLite file: a database or a pack.
bool is_database(const std::filesystem::path& file);

// Error (kind bad_input): `output` is a name that SQLite uses for the log of an existing database (FILE-wal, FILE-shm,
// FILE-journal): SQLite would read the output as its log, or delete it.
Result<void> refuse_log_name(const std::filesystem::path& output);

// Error (kind bad_input): no file can be made at `output`: it is "-", which would be standard output, or a directory,
// or its folder is not a folder or is not writable. Call it before the work whose result is written there.
Result<void> refuse_unwritable(const std::filesystem::path& output, std::string_view option = "-o");

// Makes the two checks above. Also refuses an `output` that is an existing database, the log of a future database, or
// one of `inputs` under any name or link. `option` names the output in the errors.
Result<void> refuse_overwriting(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs,
                                std::string_view option = "-o");

// The kind of files that a command writes and may therefore replace.
struct OutputKind {
  std::string_view otherwise;                               // "is not a recording"
  std::function<bool(const std::filesystem::path&)> is_one; // tells whether a non-empty regular file is of this kind
};

// Error (kind bad_input): a file of another kind exists, and the user did not give --force.
Result<void> refuse_replacing(const std::filesystem::path& output, const OutputKind& kind, bool force);

inline constexpr const char* kForceHelp = "Also replace a file of another kind";

} // namespace warptune::cli
