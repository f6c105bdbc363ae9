// Reads and writes whole files; callers make the error messages (text_file.h makes them for files that users name).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace warptune {

// Returns the bytes of a file, but at most `limit` bytes, or errno. A pipe without a writer is an empty file.
tl::expected<std::string, int> read_file(const std::filesystem::path& file, std::size_t limit = std::string::npos);

// Writes a file in place: others may see a part of it, and after an error a part may be left. Returns errno, or 0.
[[nodiscard]] int write_file(const std::filesystem::path& file, std::string_view bytes);

} // namespace warptune
