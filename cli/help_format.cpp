#include "cli/help_format.h"

#include "core/text.h"

#include <sstream>
#include <utility>

namespace warptune::cli {
namespace {

// In lines that fit beside the names; CLI11 begins each at its column.
std::string wrapped(const std::string& text) {
  std::string out;
  std::size_t column = 0;
  for (const std::string_view word : split(text, ' ')) {
    const bool fits = column + 1 + word.size() <= kHelpWidth - kHelpColumn;
    if (column > 0) out += fits ? ' ' : '\n';
    column = column > 0 && fits ? column + 1 + word.size() : word.size();
    out += word;
  }
  return out;
}

} // namespace

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  return wrapped(Formatter::make_option_desc(option));
}

// CLI11 would write "[PACK(0x)]".
std::string HelpFormat::make_option_usage(const CLI::Option* option) const {
  if (option->get_expected_max() <= 1) return Formatter::make_option_usage(option);
  const std::string name = make_option_name(option, true) + "...";
  return option->get_required() ? name : "[" + name + "]";
}

// CLI11 leaves an empty line for hidden options.
std::string HelpFormat::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::string text = Formatter::make_help(app, std::move(name), mode);
  if (const std::size_t gap = text.find("\n\n\n"); gap != std::string::npos) text.erase(gap, 1);
  return text;
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  std::ostringstream out;
  CLI::detail::format_help(out, command->get_name(), wrapped(command->get_description()), kHelpColumn);
  return out.str();
}

} // namespace warptune::cli
