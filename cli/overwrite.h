// What an output may replace: one rule for all commands (docs/database.md). Knows nothing of the formats that are
// written.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace warptune::cli {

// Whether a file is there that SQLite wrote: a database or a pack.
bool is_database(const std::filesystem::path& file);

// Error (kind bad_input): `output` has the name under which SQLite keeps what is not yet in a database that is there
// (FILE-wal, FILE-shm, FILE-journal), so that it would be taken for that, or deleted.
Result<void> refuse_log_name(const std::filesystem::path& output);

// Error (kind bad_input): nothing can be made at `output`: it is "-", which would be standard output, a directory, or
// in a folder that is none or that takes no files. Asked before the work whose result goes there.
Result<void> refuse_unwritable(const std::filesystem::path& output, std::string_view option = "-o");

// The two above, and: `output` is one of `inputs`, by whatever name or link, or the log of one that is yet to be made;
// a database. `option` names it in the errors.
Result<void> refuse_overwriting(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs,
                                std::string_view option = "-o");

// The files that a command writes and therefore replaces.
struct OutputKind {
  std::string_view otherwise;                               // "is not a recording"
  std::function<bool(const std::filesystem::path&)> is_one; // asked of a regular file that is not empty
};

// Error (kind bad_input): a file of another kind is there, and the user did not say --force.
Result<void> refuse_replacing(const std::filesystem::path& output, const OutputKind& kind, bool force);

inline constexpr const char* kForceHelp = "Also replace a file of another kind";

} // namespace warptune::cli
