// Decides which files an output may replace, by one rule for all commands (docs/database.md). Independent of formats.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace warptune::cli {

// Whether the file exists and is an SQLite file, that is, a database or a pack.
bool is_database(const std::filesystem::path& file);

// Error (bad_input): SQLite uses the name `output` for the log of an existing database (FILE-wal, FILE-shm,
// FILE-journal), so it would read the output as its log, or delete it.
Result<void> refuse_log_name(const std::filesystem::path& output);

// Error (bad_input): no file can be created in the folder, so `output` cannot be written. `advice` ends the message.
Result<void> refuse_readonly(const std::filesystem::path& folder, const std::filesystem::path& output,
                             std::string_view advice);

// Error (bad_input): no file can be made at `output`: the path is "-", which would mean standard output; it is a
// directory; or its nearest parent that exists is not a directory or not writable. Call this function before the work
// whose result is written to `output`.
Result<void> refuse_unwritable(const std::filesystem::path& output, std::string_view option = "-o");

// Makes the checks of refuse_log_name and refuse_unwritable. It is also an error if `output` is an existing database,
// the log of a future database, or one of `inputs` (also by another name or a link). `option` names the output in
// messages.
Result<void> refuse_overwriting(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs,
                                std::string_view option = "-o");

// The kind of files that a command writes, and may therefore replace.
struct OutputKind {
  std::string_view otherwise;                               // the end of an error sentence: "is not a recording"
  std::function<bool(const std::filesystem::path&)> is_one; // whether a regular file that is not empty is of this kind
};

// Error (bad_input): a file of another kind exists at `output`, and the user did not give --force.
Result<void> refuse_replacing(const std::filesystem::path& output, const OutputKind& kind, bool force);

inline constexpr const char* kForceHelp =
    "Replace the output file even if it is not of the kind that this command writes";

} // namespace warptune::cli
