// `warptune __man DIR` writes the manual, at build time; `warptune __complete WORD...` answers a shell: a candidate a
// line, with a tab and what it means, and the line ":files" where names of files fit as well.
#pragma once

#include "cli/options.h"
#include "core/result.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune::cli {

// Nothing when `words` (the program's name first) name no hidden command.
std::optional<Result<int>> run_hidden_command(const Command& app, const std::vector<std::string>& words);

} // namespace warptune::cli
