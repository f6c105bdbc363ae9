// Reads recorded spaces of any tuner from disk: Kernel Tuner caches, T4 files, warptune recordings; plain or gzip.
// Detects the format of a file; the formats themselves are in interchange/ and recording/recording.h.
#pragma once

#include "core/result.h"
#include "interchange/recorded_space.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

// Errors (bad_input): the file cannot be read, has no known format, is damaged, or exceeds the limits of interchange/.
Result<RecordedSpace> load_recorded_space(const std::filesystem::path& file);

// Returns the text of a file, decompressed if it is gzip. `truncated` is set if the compressed data ended early.
Result<std::string> read_plain_text(const std::filesystem::path& file, std::string_view what, bool& truncated);

// Returns files as given and, for directories, all files that end in .json or .json.gz, sorted by name. Error
// bad_input: a path that does not exist, or a directory without such files.
Result<std::vector<std::filesystem::path>> find_space_files(const std::vector<std::string>& paths);

std::string space_name(const std::filesystem::path& file); // "gemm__A100" for "spaces/gemm__A100.json.gz"

} // namespace warptune
