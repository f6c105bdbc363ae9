#include "search/best_expected.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warptune {

std::vector<ConfigIndex> best_expected(const SearchSpace& space, const Knowledge& knowledge, std::size_t count,
                                       Draws& draws) {
  constexpr std::int64_t kMost = 20'000; // predictions; each takes microseconds
  if (!knowledge.expected_log_time) return {};
  std::vector<std::pair<double, ConfigIndex>> expected, by_author;
  for (std::int64_t i = 0; i < std::min(space.size(), kMost); ++i) {
    const ConfigIndex index =
        space.size() <= kMost ? i : static_cast<ConfigIndex>(draws.below(static_cast<std::size_t>(space.size())));
    const double log_time = knowledge.expected_log_time(index);
    if (!std::isfinite(log_time)) continue;
    const bool is_by_author = knowledge.expected_by_author && knowledge.expected_by_author(index);
    (is_by_author ? by_author : expected).emplace_back(log_time, index);
  }
  if (!by_author.empty()) expected = std::move(by_author);
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  std::vector<ConfigIndex> out;
  for (std::size_t i = 0; i < std::min(count, expected.size()); ++i) out.push_back(expected[i].second);
  return out;
}

} // namespace warptune
