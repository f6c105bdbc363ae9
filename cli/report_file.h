// A report's text as a file, never in place of something else. What writes it: recording/text_file.h.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <string_view>

namespace warptune::cli {

// All of it or none. An existing file that is no report of ours is refused unless `force`, and a database and
// what would be taken for its log always.
// Errors are bad_input: what, where, why.
Result<void> write_report(const std::filesystem::path& file, std::string_view text, bool force);

} // namespace warptune::cli
