// `warptune __man DIR` writes the manual, at build time. `warptune __complete WORD...` answers a shell: one candidate
// per line, with a tab and its meaning, and the line ":files" if file names fit as well.
#pragma once

#include "cli/options.h"
#include "core/result.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune::cli {

// nullopt if `words` (the program's name first) do not name a hidden command.
std::optional<Result<int>> run_hidden_command(const Command& app, const std::vector<std::string>& words);

} // namespace warptune::cli
