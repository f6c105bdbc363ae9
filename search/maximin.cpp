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

// Greedy maximin: starts with `next`, and returns which of the `given` rows to take, in order. Only the params of a row
// count; if no param has a choice, rows are empty.
std::vector<std::size_t> farthest(std::span<const float> rows, std::size_t given, const Features& features,
                                  std::size_t next, std::size_t count) {
  const std::size_t width = features.size();
  const auto params = [&](std::size_t i) { return rows.subspan(i * width, features.plain()); };
  std::vector<float> distance(given, std::numeric_limits<float>::infinity()); // squared, to the nearest taken row
  std::vector<std::size_t> taken;
  while (taken.size() < count && distance[next] > 0) {
    taken.push_back(next);
    for (std::size_t i = 0; i < given; ++i)
      distance[i] = std::min(distance[i], squared_distance(params(i), params(next)));
    next = static_cast<std::size_t>(std::max_element(distance.begin(), distance.end()) - distance.begin());
  }
  return taken;
}

std::vector<float> encoded(const std::vector<ConfigIndex>& configs, const Features& features) {
  const std::size_t width = features.size();
  std::vector<float> rows(configs.size() * width);
  for (std::size_t i = 0; i < configs.size(); ++i)
    features.encode(configs[i], std::span(rows).subspan(i * width, width));
  return rows;
}

std::vector<ConfigIndex> at(const std::vector<ConfigIndex>& configs, const std::vector<std::size_t>& which) {
  std::vector<ConfigIndex> out;
  for (const std::size_t i : which) out.push_back(configs[i]);
  return out;
}

} // namespace

std::vector<ConfigIndex> maximin_start(const SearchSpace& space, const Features& features, std::size_t count,
                                       Draws& draws) {
  constexpr std::size_t kSampled = 600;
  const std::size_t width = features.size(), plain = features.plain();
  std::vector<ConfigIndex> sample;
  for (std::size_t i = 0; i < kSampled; ++i)
    sample.push_back(static_cast<ConfigIndex>(draws.below(static_cast<std::size_t>(space.size()))));
  const std::vector<float> rows = encoded(sample, features);
  const auto params = [&](std::size_t i) { return std::span<const float>(rows).subspan(i * width, plain); };
  std::vector<float> middle(plain);
  for (std::size_t i = 0; i < kSampled; ++i)
    for (std::size_t f = 0; f < plain; ++f) middle[f] += params(i)[f] / kSampled;
  std::size_t next = 0;
  for (std::size_t i = 1; i < kSampled; ++i)
    if (squared_distance(params(i), middle) < squared_distance(params(next), middle)) next = i;
  return at(sample, farthest(rows, kSampled, features, next, count));
}

std::vector<ConfigIndex> spread(const std::vector<ConfigIndex>& given, const Features& features, std::size_t count) {
  if (given.empty()) return {};
  return at(given, farthest(encoded(given, features), given.size(), features, 0, count));
}

} // namespace warptune
