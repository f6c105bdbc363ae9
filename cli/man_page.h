// The manual from the command line's definitions: one page in man(7) for the program, one for each command. Pure text;
// who writes the files and where they lie is the caller's business.
#pragma once

#include "cli/command_doc.h"

namespace warptune::cli {

// warptune(1): all commands. warptune-tune(1): one of them.
std::string man_page(const ProgramDoc& program);
std::string man_page(const ProgramDoc& program, const CommandDoc& command);

} // namespace warptune::cli
