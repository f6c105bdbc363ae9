// Makes the manual from the definitions of the command line: pages in man(7) format, one for the program and one per
// command. Pure; the caller writes the files.
#pragma once

#include "cli/command_doc.h"

namespace warptune::cli {

// These two functions return warptune(1), which lists all commands, and the page of one command, such as
// warptune-tune(1).
std::string man_page(const ProgramDoc& program);
std::string man_page(const ProgramDoc& program, const CommandDoc& command);

} // namespace warptune::cli
