// Reads whole files up to a limit, and writes them in one step. Does not depend on their content.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace warptune {

// `what` names the file in errors (bad_input): "recording". Directories, pipes and devices are refused. read_beginning
// reads about `first_bytes` of a file of any size.
Result<std::string> read_text_file(const std::filesystem::path& file, std::string_view what, std::size_t limit);
Result<std::string> read_beginning(const std::filesystem::path& file, std::string_view what, std::size_t first_bytes);

// Writes a temporary file in the same folder, then renames it; it gets the permissions of the file it replaces. Creates
// folders; a symbolic link stays a link. A device, or a pipe with a reader, is written directly. Leaves no file behind
// after an error: bad_input if the place cannot be written, internal if it is full (disk, quota, file size limit).
Result<void> write_text_file(const std::filesystem::path& file, std::string_view what, std::string_view text);

} // namespace warptune
