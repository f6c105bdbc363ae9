// Whole files: read within a limit, written in one step. Knows nothing of what they hold.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace warptune {

// `what` stands in the errors (bad_input): "recording". A directory, a pipe and a device are refused.
// read_beginning reads about `first_bytes` of a file of any size.
Result<std::string> read_text_file(const std::filesystem::path& file, std::string_view what, std::size_t limit);
Result<std::string> read_beginning(const std::filesystem::path& file, std::string_view what, std::size_t first_bytes);

// Temporary file beside it, then rename, with the permissions of what it replaces; folders are made; a link stays one.
// A device or a pipe that somebody reads is written to. Nothing is left after an error: bad_input where the place
// cannot be written, internal where it takes no more (a full disk, a quota, a limit of file sizes).
Result<void> write_text_file(const std::filesystem::path& file, std::string_view what, std::string_view text);

} // namespace warptune
