// Writes a problem key as command-line options, for commands that messages suggest to the user.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

// "rows=1,cols=64;bf16;bias=none,out=same" -> "--shape rows=1,cols=64 --dtype bf16 --set bias=none --set out=same".
// Words with special characters are quoted for a shell.
std::string problem_options(std::string_view key);

} // namespace warptune
