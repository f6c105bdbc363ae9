#include "search/maximin.h"

#include <algorithm>
#include <limits>

namespace warptune {
namespace {

float squared_distance(std::span<const float> a, std::span<const float> b) {
  float squares = 0;
  for (std::size_t f = 0; f < a.size(); ++f) squares += (a[f] - b[f]) * (a[f] - b[f]);
  return squares;
}

} // namespace

std::vector<ConfigIndex> maximin_start(const SearchSpace& space, const Features& features, std::size_t count,
                                       Draws& draws) {
  constexpr std::size_t kSampled = 600;
  const std::size_t width = features.size(), plain = features.plain();
  std::vector<ConfigIndex> sample;
  std::vector<float> rows(kSampled * width), middle(plain);
  const auto params = [&](std::size_t i) { return std::span<const float>(rows).subspan(i * width, plain); };
  for (std::size_t i = 0; i < kSampled; ++i) {
    sample.push_back(static_cast<ConfigIndex>(draws.below(static_cast<std::size_t>(space.size()))));
    features.encode(sample.back(), std::span(rows).subspan(i * width, width));
    for (std::size_t f = 0; f < plain; ++f) middle[f] += params(i)[f] / kSampled;
  }
  std::size_t next = 0;
  for (std::size_t i = 1; i < kSampled; ++i)
    if (squared_distance(params(i), middle) < squared_distance(params(next), middle)) next = i;

  std::vector<float> distance(kSampled, std::numeric_limits<float>::infinity()); // squared, to the nearest taken
  std::vector<ConfigIndex> taken;
  while (taken.size() < count && distance[next] > 0) {
    taken.push_back(sample[next]);
    for (std::size_t i = 0; i < kSampled; ++i)
      distance[i] = std::min(distance[i], squared_distance(params(i), params(next)));
    next = static_cast<std::size_t>(std::max_element(distance.begin(), distance.end()) - distance.begin());
  }
  return taken;
}

} // namespace warptune
