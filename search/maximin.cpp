#include "search/maximin.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptune {
namespace {

constexpr std::size_t kMaximinSample = 600;

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

// Counts, for the params that are categories, how many configurations of a sample have each value.
class CategoryCounts {
 public:
  explicit CategoryCounts(const SearchSpace& space) : space_(space) {
    const auto used = space.used_values();
    for (std::size_t p = 0; p < used.size(); ++p) {
      const std::vector<double>& coordinates = space.coordinates()[p];
      if (std::none_of(coordinates.begin(), coordinates.end(), [](double c) { return std::isnan(c); })) continue;
      categories_.push_back({p, std::vector<std::size_t>(used[p].size())});
      for (std::size_t v = 0; v < used[p].size(); ++v) categories_.back().counts[v] = used[p][v] ? 0 : kEnough;
    }
  }

  // Returns whether the configuration has a value of which the sample has too few.
  bool add(ConfigIndex index) {
    bool rare = false;
    space_.positions(index, at_);
    for (Category& c : categories_) rare = c.counts[static_cast<std::size_t>(at_[c.param])]++ < kEnough || rare;
    return rare;
  }

  bool enough() const {
    return std::all_of(categories_.begin(), categories_.end(), [](const Category& c) {
      return std::all_of(c.counts.begin(), c.counts.end(), [](std::size_t n) { return n >= kEnough; });
    });
  }

 private:
  static constexpr std::size_t kEnough = 8; // configurations of a value: to choose a typical and an extreme one from
  struct Category {
    std::size_t param;
    std::vector<std::size_t> counts; // for each value; kEnough if no valid configuration has the value
  };
  const SearchSpace& space_;
  std::vector<Category> categories_;
  Positions at_;
};

// A uniform sample may lack a value that few configurations have, such as an implementation with few params, although
// the fastest configuration may be one of these few. Draws on until the sample has enough of each value.
void add_rare_categories(const SearchSpace& space, std::vector<ConfigIndex>& sample, Draws& draws) {
  constexpr int kMost = 50'000; // draws; each takes less than a microsecond
  CategoryCounts counts(space);
  for (const ConfigIndex index : sample) counts.add(index);
  for (int i = 0; i < kMost && !counts.enough(); ++i) {
    const auto index = static_cast<ConfigIndex>(draws.below(static_cast<std::size_t>(space.size())));
    if (counts.add(index)) sample.push_back(index);
  }
}

} // namespace

std::vector<ConfigIndex> maximin_start(const SearchSpace& space, const Features& features, std::size_t count,
                                       Draws& draws) {
  const std::size_t width = features.size(), plain = features.plain();
  std::vector<ConfigIndex> sample;
  for (std::size_t i = 0; i < kMaximinSample; ++i)
    sample.push_back(static_cast<ConfigIndex>(draws.below(static_cast<std::size_t>(space.size()))));
  add_rare_categories(space, sample, draws);
  const std::vector<float> rows = encoded(sample, features);
  const auto params = [&](std::size_t i) { return std::span<const float>(rows).subspan(i * width, plain); };
  std::vector<float> middle(plain);
  for (std::size_t i = 0; i < kMaximinSample; ++i)
    for (std::size_t f = 0; f < plain; ++f) middle[f] += params(i)[f] / kMaximinSample;
  std::size_t next = 0;
  for (std::size_t i = 1; i < kMaximinSample; ++i)
    if (squared_distance(params(i), middle) < squared_distance(params(next), middle)) next = i;
  return at(sample, farthest(rows, sample.size(), features, next, count));
}

std::vector<ConfigIndex> spread(const std::vector<ConfigIndex>& given, const Features& features, std::size_t count) {
  if (given.empty()) return {};
  return at(given, farthest(encoded(given, features), given.size(), features, 0, count));
}

} // namespace warptune
