// The exit codes in the help of the program and of each command. README.md has them in one table.
#pragma once

#include <string>
#include <string_view>

namespace warptune::cli {

// The end of a help text: the exit codes, with their meanings for this command. `command`: empty for the program.
std::string exit_codes(std::string_view command);

} // namespace warptune::cli
