// A report's text as a file, never in place of something else. What writes it: recording/text_file.h.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace warptune::cli {

// All of it or none. An existing file that warptune did not write as a report is refused unless `force`; a database,
// what would be taken for its log and the `inputs` always (cli/overwrite.h). Errors are bad_input: what, where, why.
Result<void> write_report(const std::filesystem::path& file, std::string_view text, bool force,
                          const std::vector<std::filesystem::path>& inputs = {});

} // namespace warptune::cli
