// The layout of --help: no line is wider than kHelpWidth. The texts below the options (cli/help_text.h) are written to
// this width; the descriptions of options and commands are wrapped here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

inline constexpr std::size_t kHelpWidth = 100, kHelpColumn = 34; // kHelpColumn: where descriptions begin

// Wraps a description to the column beside the names; CLI11 indents each line.
std::string wrapped_help(const std::string& text);

// The lines of a help text with their indents, without the ends of the lines.
std::vector<std::string_view> lines_of(std::string_view text);

// Wraps a help text again for a terminal with fewer columns: paragraphs, and the descriptions beside names. Commands to
// copy stay on one line. 0: not a terminal, so the text stays as it is.
std::string fitted_help(const std::string& help, std::size_t columns);

} // namespace warptune::cli
