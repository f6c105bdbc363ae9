#include "cli/help_format.h"

#include "core/text.h"

namespace warptune::cli {

std::string wrapped_help(const std::string& text) {
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

} // namespace warptune::cli
