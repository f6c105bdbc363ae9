// Quotes the words of a command for a shell.
#pragma once

#include <string>
#include <vector>

namespace warptune {

std::string quote_for_shell(const std::string& word);
// Like quote_for_shell, but keeps bytes that a terminal cannot show: not only shells read a script.
std::string quote_for_script(const std::string& word);
std::string quote_path_for_shell(const std::string& path); // "./-x" for "-x", which a command would read as an option
std::string quote_for_shell(const std::vector<std::string>& words);

// Returns the command with --resume added, so that it continues the work after a stop.
std::string resume_command(std::vector<std::string> words);

} // namespace warptune
