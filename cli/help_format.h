// The layout of --help. Lines are at most kHelpWidth wide: the texts below the options (cli/help_text.h) are no wider,
// and the descriptions of options and commands are wrapped here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

inline constexpr std::size_t kHelpWidth = 100, kHelpColumn = 34; // kHelpColumn: the column where descriptions begin

// Wraps a description to the width that is left beside the names. CLI11 indents the lines.
std::string wrapped_help(const std::string& text);

// Returns the lines of a help text, with their indents but without line ends.
std::vector<std::string_view> lines_of(std::string_view text);

// Wraps a help text (its paragraphs, and the descriptions beside names) again, for a terminal with fewer columns. A
// command that users may copy stays on one line. `columns`: 0 means that the output is not a terminal; the text then
// stays as it is.
std::string fitted_help(const std::string& help, std::size_t columns);

} // namespace warptune::cli
