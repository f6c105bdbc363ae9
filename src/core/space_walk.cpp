// Walking a SearchSpace: index <-> configuration, neighbours, and spaces made from a list.
#include "core/space.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace warptune {

SearchSpace SearchSpace::from_list(std::vector<std::vector<std::int64_t>> values,
                                   std::vector<std::vector<double>> coordinates, std::vector<Positions> valid) {
  SearchSpace space;
  std::sort(valid.begin(), valid.end());
  valid.erase(std::unique(valid.begin(), valid.end()), valid.end());
  space.size_ = static_cast<std::int64_t>(valid.size());
  space.levels_.resize(values.size());
  // Level by level: the rows that share a prefix form one group, and each of its values one entry.
  std::vector<std::pair<std::size_t, std::size_t>> ranges{{0, valid.size()}};
  for (std::size_t level = 0; level < values.size() && !valid.empty(); ++level) {
    Level& made = space.levels_[level];
    std::vector<std::pair<std::size_t, std::size_t>> next;
    for (const auto& [begin, end] : ranges) {
      Group group{static_cast<std::int64_t>(made.entries.size()), static_cast<std::int64_t>(end - begin), 0};
      for (std::size_t row = begin; row < end;) {
        const std::int32_t value = valid[row][level];
        std::size_t after = row;
        while (after < end && valid[after][level] == value) ++after;
        const bool last = level + 1 == values.size();
        made.entries.push_back(
            {value, last ? -1 : static_cast<std::int32_t>(next.size()), static_cast<std::int64_t>(row - begin)});
        if (!last) next.emplace_back(row, after);
        ++group.size;
        row = after;
      }
      made.groups.push_back(group);
    }
    ranges = std::move(next);
  }
  if (coordinates.empty())
    for (const auto& of_param : values) coordinates.emplace_back(of_param.begin(), of_param.end());
  space.values_ = std::move(values);
  space.coordinates_ = std::move(coordinates);
  return space;
}

std::int64_t SearchSpace::size() const { return size_; }

double SearchSpace::cartesian_size() const {
  double product = 1;
  for (const auto& values : values_) product *= static_cast<double>(values.size());
  return product;
}

void SearchSpace::positions(ConfigIndex index, Positions& out) const {
  assert(index >= 0 && index < size_);
  out.resize(values_.size());
  std::size_t group = 0;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const Group& g = levels_[level].groups[group];
    const auto begin = levels_[level].entries.begin() + g.begin;
    const auto after = std::upper_bound(begin, begin + g.size, index,
                                        [](std::int64_t i, const Entry& entry) { return i < entry.first; });
    const Entry& entry = *(after - 1);
    out[level] = entry.value;
    index -= entry.first;
    group = static_cast<std::size_t>(entry.child);
  }
}

std::optional<ConfigIndex> SearchSpace::find_positions(std::span<const std::int32_t> positions) const {
  if (positions.size() != values_.size() || size_ == 0) return std::nullopt;
  ConfigIndex index = 0;
  std::size_t group = 0;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const Group& g = levels_[level].groups[group];
    const auto begin = levels_[level].entries.begin() + g.begin;
    const auto found = std::lower_bound(begin, begin + g.size, positions[level],
                                        [](const Entry& entry, std::int32_t v) { return entry.value < v; });
    if (found == begin + g.size || found->value != positions[level]) return std::nullopt;
    index += found->first;
    group = static_cast<std::size_t>(found->child);
  }
  return index;
}

Config SearchSpace::config(ConfigIndex index) const {
  Positions at;
  positions(index, at);
  Config config(values_.size());
  for (std::size_t p = 0; p < at.size(); ++p) config[p] = values_[p][static_cast<std::size_t>(at[p])];
  return config;
}

std::optional<ConfigIndex> SearchSpace::find(const Config& config) const {
  if (config.size() != values_.size()) return std::nullopt;
  Positions at(config.size());
  for (std::size_t p = 0; p < config.size(); ++p) {
    const auto value = std::find(values_[p].begin(), values_[p].end(), config[p]);
    if (value == values_[p].end()) return std::nullopt;
    at[p] = static_cast<std::int32_t>(value - values_[p].begin());
  }
  return find_positions(at);
}

void SearchSpace::neighbours(ConfigIndex index, Neighbours kind, std::vector<ConfigIndex>& out) const {
  out.clear();
  Positions at;
  positions(index, at);
  for (std::size_t p = 0; p < at.size(); ++p) {
    const std::int32_t here = at[p], count = static_cast<std::int32_t>(values_[p].size());
    const auto add = [&](std::int32_t value) {
      at[p] = value;
      const auto found = find_positions(at);
      if (found) out.push_back(*found);
      return found.has_value();
    };
    if (kind == Neighbours::hamming) {
      for (std::int32_t v = 0; v < count; ++v)
        if (v != here) add(v);
    } else {
      for (std::int32_t v = here - 1; v >= 0 && !add(v);) --v;
      for (std::int32_t v = here + 1; v < count && !add(v);) ++v;
    }
    at[p] = here;
  }
}

const std::vector<SearchSpace::Rejection>& SearchSpace::rejections() const { return rejections_; }
int SearchSpace::param_count() const { return static_cast<int>(values_.size()); }
const std::vector<std::vector<std::int64_t>>& SearchSpace::values() const { return values_; }
const std::vector<std::vector<double>>& SearchSpace::coordinates() const { return coordinates_; }

} // namespace warptune
