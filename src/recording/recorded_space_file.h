// Reads recorded spaces from disk: Kernel Tuner caches, T4 files or warptune recordings, plain or gzip. Detects a
// file's format; interchange/ and recording/recording.h contain the formats.
#pragma once

#include "core/result.h"
#include "interchange/recorded_space.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

// Error (bad_input): the file cannot be read, has no known format, is damaged, or exceeds the limits of interchange/.
Result<RecordedSpace> load_recorded_space(const std::filesystem::path& file);

// Returns the text of a file, decompressed if it is gzip. Sets `truncated` if the compressed data is cut off.
Result<std::string> read_plain_text(const std::filesystem::path& file, std::string_view what, bool& truncated);

// Returns the files among `paths`, and for each directory its files that end in .json or .json.gz, sorted by name.
// Error (bad_input): a path that does not exist, or a directory without such files.
Result<std::vector<std::filesystem::path>> find_space_files(const std::vector<std::string>& paths);

std::string space_name(const std::filesystem::path& file); // returns "gemm__A100" for "spaces/gemm__A100.json.gz"

} // namespace warptune
