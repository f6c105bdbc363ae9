#include "search/first_points.h"

#include "search/maximin.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace warptune {
namespace {

constexpr std::size_t kAhead = 2;           // times `initial`: for callers with many in flight
constexpr std::size_t kWithoutEstimate = 2; // no formula leads to these

// Few enough to be fast, many enough to differ.
std::vector<ConfigIndex> top(const std::vector<ConfigIndex>& expected, const SearchSpace& space) {
  const auto few = static_cast<std::size_t>(std::max<std::int64_t>(space.size() / 40, 16));
  return {expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(std::min(few, expected.size()))};
}

} // namespace

FirstPoints::FirstPoints(const SearchSpace& space, const Features& features, const Knowledge& knowledge,
                         const AuthorEstimates& estimates, Archive& archive, const std::vector<ConfigIndex>& expected,
                         std::size_t initial, Draws& draws)
    : archive_(archive), initial_(initial) {
  for (const Hint& hint : knowledge.hints) hints_.indices.push_back(hint.index);
  expected_.indices = spread(top(expected, space), features, estimates.exist() ? kAhead * initial : initial / 2);
  spread_.indices = maximin_start(space, features, kAhead * initial, draws);
  if (estimates.exist())
    std::copy_if(spread_.indices.begin(), spread_.indices.end(), std::back_inserter(without_estimate_.indices),
                 [&](ConfigIndex index) { return std::isnan(estimates.log_time(index)); });
}

std::optional<ConfigIndex> FirstPoints::next(std::size_t proposed) {
  if (const auto index = first_of(hints_, (initial_ + 1) / 2)) return index;
  // Corners tell more about the space; good estimates find more while there are no results to learn from.
  if (const auto index = first_of(expected_, initial_ / 2)) return index;
  if (const auto index = first_of(without_estimate_, kWithoutEstimate)) return index;
  if (proposed >= initial_)
    if (const auto index = first_of(expected_, expected_.indices.size())) return index;
  if (const auto index = first_of(spread_, spread_.indices.size())) return index;
  return archive_.draw();
}

// The next of the first `most` that is not visited.
std::optional<ConfigIndex> FirstPoints::first_of(List& list, std::size_t most) {
  for (; list.tried < std::min(most, list.indices.size()); ++list.tried)
    if (!archive_.visited(list.indices[list.tried])) return list.indices[list.tried++];
  return std::nullopt;
}

} // namespace warptune
