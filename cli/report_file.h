// Writes a report's text to a file without replacing files of other kinds. system/text_file.h does the writing.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace warptune::cli {

// Writes the whole file or nothing. Refuses to replace a file that is not a report of warptune, unless `force` is set.
// Always refuses to replace a database, a file that SQLite would use as its log, and `inputs` (cli/overwrite.h). Errors
// are of kind bad_input and say what failed, where and why.
Result<void> write_report(const std::filesystem::path& file, std::string_view text, bool force,
                          const std::vector<std::filesystem::path>& inputs = {});

} // namespace warptune::cli
