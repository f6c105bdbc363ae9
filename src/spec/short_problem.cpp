#include "spec/short_problem.h"

#include "core/text.h"

#include <algorithm>

namespace warptune {

std::string short_problem(std::string_view key) {
  constexpr std::size_t kWhole = 8;
  std::string text;
  while (!key.empty()) {
    const std::size_t open = key.find('['), close = key.find(']', std::min(open, key.size()));
    if (close == std::string_view::npos) break;
    const auto sizes = split(key.substr(open + 1, close - open - 1), ',');
    text += key.substr(0, open);
    text += sizes.size() <= kWhole ? std::string(key.substr(open, close + 1 - open))
                                   : "[" + std::string(sizes[0]) + "," + std::string(sizes[1]) + "," +
                                         std::string(sizes[2]) + ", ... " + std::to_string(sizes.size()) + " sizes]";
    key.remove_prefix(close + 1);
  }
  return text + std::string(key);
}

} // namespace warptune
