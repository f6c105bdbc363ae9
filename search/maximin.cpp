#include "search/maximin.h"

#include <algorithm>
#include <limits>

namespace warptune {

std::vector<ConfigIndex> maximin_start(const SearchSpace& space, const Features& features, std::size_t count,
                                       Draws& draws) {
  constexpr std::size_t kSampled = 600;
  const std::size_t width = features.size(), plain = features.plain();
  std::vector<ConfigIndex> sample;
  std::vector<float> rows(kSampled * width);
  for (std::size_t i = 0; i < kSampled; ++i) {
    sample.push_back(static_cast<ConfigIndex>(draws.below(static_cast<std::size_t>(space.size()))));
    features.encode(sample.back(), std::span(rows).subspan(i * width, width));
  }
  std::vector<float> distance(kSampled, std::numeric_limits<float>::infinity()); // squared, to the nearest taken
  std::vector<ConfigIndex> taken;
  for (std::size_t last = 0; taken.size() < count && distance[last] > 0;) {
    taken.push_back(sample[last]);
    std::size_t farthest = 0;
    for (std::size_t i = 0; i < kSampled; ++i) {
      float squares = 0;
      for (std::size_t f = 0; f < plain; ++f) {
        const float step = rows[i * width + f] - rows[last * width + f];
        squares += step * step;
      }
      distance[i] = std::min(distance[i], squares);
      if (distance[i] > distance[farthest]) farthest = i;
    }
    last = farthest;
  }
  return taken;
}

} // namespace warptune
