// Recorded spaces on disk, whatever tuner wrote them: Kernel Tuner cache, T4, recordings of ours; plain or gzip. Says
// which format a file has; the formats themselves are in interchange/ and recording/recording.h.
#pragma once

#include "core/result.h"
#include "interchange/recorded_space.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

// Errors (bad_input): cannot be read, of no known format, damaged, beyond the limits of interchange/.
Result<RecordedSpace> load_recorded_space(const std::filesystem::path& file);

// The text of a file, decompressed where it is gzip. `truncated` says that the compressed data ended early.
Result<std::string> read_plain_text(const std::filesystem::path& file, std::string_view what, bool& truncated);

// Files as they are; of directories what ends in .json or .json.gz, by name. Error bad_input: a path that does not
// exist, a directory without any.
Result<std::vector<std::filesystem::path>> find_space_files(const std::vector<std::string>& paths);

std::string space_name(const std::filesystem::path& file); // "gemm__A100" of "spaces/gemm__A100.json.gz"

} // namespace warptune
