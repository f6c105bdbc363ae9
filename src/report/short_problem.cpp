#include "report/short_problem.h"

#include "core/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune::report {

std::string short_problem(std::string_view key) {
  constexpr std::size_t kWhole = 8;
  std::string text;
  while (!key.empty()) {
    const std::size_t open = key.find('['), close = key.find(']', std::min(open, key.size()));
    if (close == std::string_view::npos) break;
    const auto sizes = split(key.substr(open + 1, close - open - 1), ',');
    text += key.substr(0, open);
    text += sizes.size() <= kWhole
                ? std::string(key.substr(open, close + 1 - open))
                : fmt::format("[{},{},{}, ... {} sizes]", sizes[0], sizes[1], sizes[2], sizes.size());
    key.remove_prefix(close + 1);
  }
  return text + std::string(key);
}

} // namespace warptune::report
