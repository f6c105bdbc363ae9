#include "cli/compiler_complaint.h"

#include "core/text.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace warptune::cli {
namespace {

constexpr std::size_t kShown = 200; // bytes of a line; a file without line breaks is one line

// Shortens a long line, but does not cut a character in two.
std::string clipped(std::string_view line) {
  if (line.size() <= kShown) return std::string(line);
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return std::string(line.substr(0, end)) + "...";
}

std::string_view line_of(std::string_view text, int number) {
  const auto lines = split(text, '\n');
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return {};
  return trim(lines[static_cast<std::size_t>(number) - 1]);
}

// Finds the place in "kernel.cu(12): error: ..." if the file is one of the sources.
void find_place(CompilerComplaint& complaint, const SourceFiles& sources) {
  const std::string_view message = complaint.message;
  const std::size_t open = message.find('('), close = message.find("):");
  std::int64_t number = 0;
  if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
      parse_integer(message.substr(open + 1, close - open - 1), number) != IntegerError::none)
    return;
  const std::string_view name = message.substr(0, open);
  const auto file =
      std::find_if(sources.files.begin(), sources.files.end(), [&](const auto& known) { return known.first == name; });
  if (file == sources.files.end() || number < 1 || number > 1'000'000) return;
  complaint.file = file->first;
  complaint.line = static_cast<int>(number);
  complaint.source = clipped(line_of(file->second, complaint.line));
}

} // namespace

CompilerComplaint first_complaint(const std::string& log, const SourceFiles& sources) {
  CompilerComplaint complaint;
  for (const std::string_view line : split(log, '\n')) {
    const bool is_error = line.find("error") != std::string_view::npos;
    if (trim(line).empty() || (!is_error && !complaint.message.empty())) continue;
    complaint.message = trim(line);
    if (is_error) break;
  }
  find_place(complaint, sources);
  return complaint;
}

} // namespace warptune::cli
