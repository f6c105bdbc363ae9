#include "cli/help_format.h"

#include "core/text.h"

#include <algorithm>

namespace warptune::cli {
namespace {

constexpr std::size_t kBelow = 6;   // indent of a description below its name
constexpr std::size_t kRagged = 20; // a line that is this much shorter ends its paragraph

// Wraps the text at spaces to `columns`. All lines but the first get an `indent` in addition.
std::string filled(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  for (const std::string_view word : split(text, ' ')) {
    const bool fits = column + 1 + word.size() <= columns;
    if (column > 0) out += fits ? " " : "\n" + std::string(indent, ' ');
    column = column > 0 && fits ? column + 1 + word.size() : word.size();
    out += word;
  }
  return out;
}

std::size_t blanks_before(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Where the description begins in "  name    description"; the text's own beginning if there is no name.
std::size_t description_of(std::string_view line) {
  const std::size_t begin = blanks_before(line), gap = line.find("  ", begin);
  return begin == 0 || gap == std::string_view::npos ? begin : std::min(line.find_first_not_of(' ', gap), line.size());
}

// The number of lines of the paragraph or description that begins at `first`.
std::size_t lines_together(const std::vector<std::string_view>& lines, std::size_t first) {
  const std::size_t column = description_of(lines[first]);
  std::size_t end = first + 1;
  while (end < lines.size() && !lines[end].empty() && blanks_before(lines[end]) == column &&
         description_of(lines[end]) == column && lines[end - 1].size() > kHelpWidth - kRagged)
    ++end;
  return end - first;
}

} // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
  }
  return lines;
}

std::string wrapped_help(const std::string& text) { return filled(text, kHelpWidth - kHelpColumn, 0); }

std::string fitted_help(const std::string& help, std::size_t columns) {
  if (columns == 0 || columns >= kHelpWidth) return help;
  const std::vector<std::string_view> lines = lines_of(help);
  std::string out;
  for (std::size_t i = 0, count = 0; i < lines.size(); i += count) {
    count = lines_together(lines, i);
    const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(i);
    const std::size_t column = description_of(lines[i]);
    const bool is_command =
        column > 0 && column == blanks_before(lines[i]) && lines[i].substr(column).starts_with("warptune ");
    const bool fits = std::all_of(begin, begin + static_cast<std::ptrdiff_t>(count),
                                  [&](std::string_view line) { return line.size() <= columns; });
    if (fits || is_command) {
      out += lines[i];
      out += '\n';
      count = 1;
      continue;
    }
    std::string text(lines[i].substr(column));
    for (std::size_t j = 1; j < count; ++j) text += " " + std::string(lines[i + j].substr(column));
    std::string name(lines[i].substr(0, column));
    std::size_t indent = column;
    if (column > kHelpColumn) { // the name is a command to copy
      indent = kBelow;
      name = name.substr(0, name.find_last_not_of(' ') + 1) + "\n" + std::string(indent, ' ');
    }
    out += name + filled(text, columns - std::min(indent, columns), indent) + '\n';
  }
  return out;
}

} // namespace warptune::cli
