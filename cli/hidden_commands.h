// `warptune __man DIR` writes the manual when warptune is built. `warptune __complete WORD...` answers a shell: it
// prints one possible word per line, followed by a tab and the word's meaning. If file names are possible too, it
// prints the line ":files".
#pragma once

#include "cli/options.h"
#include "core/result.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune::cli {

// `words`: begins with the program's name. Returns nullopt if they name no hidden command.
std::optional<Result<int>> run_hidden_command(const Command& app, const std::vector<std::string>& words);

} // namespace warptune::cli
