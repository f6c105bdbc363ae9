// Reads and replaces whole files that users name, with error messages for them.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace warptune {

// `what`: the kind of file, for errors (bad_input): "recording". Directories, pipes and devices are refused.
// read_beginning reads at most `first_bytes` bytes of a file of any size.
Result<std::string> read_text_file(const std::filesystem::path& file, std::string_view what, std::size_t limit);
Result<std::string> read_beginning(const std::filesystem::path& file, std::string_view what, std::size_t first_bytes);

// Writes a temporary file in the same folder, and renames it. The new file gets the permissions of the file that it
// replaces; a symbolic link stays a link. Missing folders are created. A device, or a pipe with a reader, is written
// directly. After an error no temporary file is left. Errors: bad_input if the place cannot be written; internal if it
// takes no more data (disk, quota, file size limit).
Result<void> write_text_file(const std::filesystem::path& file, std::string_view what, std::string_view text);

} // namespace warptune
