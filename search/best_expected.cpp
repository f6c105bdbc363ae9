#include "search/best_expected.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warptune {

std::vector<ConfigIndex> best_expected(const SearchSpace& space, const Knowledge& knowledge, std::size_t count,
                                       Draws& draws) {
  constexpr std::int64_t kMost = 20'000; // predictions; each takes microseconds
  if (!knowledge.expected_log_time || !knowledge.expected_by_author) return {};
  std::vector<std::pair<double, ConfigIndex>> expected;
  for (std::int64_t i = 0; i < std::min(space.size(), kMost); ++i) {
    const ConfigIndex index =
        space.size() <= kMost ? i : static_cast<ConfigIndex>(draws.below(static_cast<std::size_t>(space.size())));
    if (!knowledge.expected_by_author(index)) continue;
    const double log_time = knowledge.expected_log_time(index);
    if (std::isfinite(log_time)) expected.emplace_back(log_time, index);
  }
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  std::vector<ConfigIndex> out;
  for (std::size_t i = 0; i < std::min(count, expected.size()); ++i) out.push_back(expected[i].second);
  return out;
}

} // namespace warptune
