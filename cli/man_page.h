// The manual from the definitions of the command line: one page in man(7) for the program, one for each command. Pure
// text; the caller writes the files.
#pragma once

#include "cli/command_doc.h"

namespace warptune::cli {

// warptune(1): all commands. warptune-tune(1): one command.
std::string man_page(const ProgramDoc& program);
std::string man_page(const ProgramDoc& program, const CommandDoc& command);

} // namespace warptune::cli
