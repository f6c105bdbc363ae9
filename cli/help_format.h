// How --help is laid out: no line is wider than kHelpWidth. The texts below the options (cli/help_text.h) are written
// that narrow; what an option or a command is for is wrapped here.
#pragma once

#include <cstddef>
#include <string>

namespace warptune::cli {

inline constexpr std::size_t kHelpWidth = 100, kHelpColumn = 34; // where what it is for begins

// In lines that fit beside the names; CLI11 begins each at its column.
std::string wrapped_help(const std::string& text);

} // namespace warptune::cli
