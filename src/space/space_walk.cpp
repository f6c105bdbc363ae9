// Walks a SearchSpace: index <-> configuration, neighbours, and spaces made from a list.
#include "space/space.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace warptune {

SearchSpace SearchSpace::from_list(std::vector<std::vector<std::int64_t>> values,
                                   std::vector<std::vector<double>> coordinates, std::vector<Positions> valid) {
  SearchSpace space;
  std::sort(valid.begin(), valid.end());
  valid.erase(std::unique(valid.begin(), valid.end()), valid.end());
  space.size_ = static_cast<std::int64_t>(valid.size());
  space.levels_.resize(values.size());
  space.order_.resize(values.size());
  std::iota(space.order_.begin(), space.order_.end(), std::size_t{0});
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
  if (combinations_ > 0) return combinations_;
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
    out[order_[level]] = entry.value;
    index -= entry.first;
    group = static_cast<std::size_t>(entry.child);
  }
}

std::optional<ConfigIndex> SearchSpace::find_positions(std::span<const std::int32_t> positions) const {
  if (positions.size() != values_.size() || size_ == 0) return std::nullopt;
  const std::int64_t index = follow(0, 0, 0, positions.data());
  return index < 0 ? std::nullopt : std::optional<ConfigIndex>(index);
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

// The index of the configuration that begins with the prefix of index `index`, which leads to `group` of `level`, and
// continues with `at`.
std::int64_t SearchSpace::follow(std::size_t level, std::int32_t group, std::int64_t index,
                                 const std::int32_t* at) const {
  for (; level < levels_.size(); ++level) {
    const Group& g = levels_[level].groups[static_cast<std::size_t>(group)];
    const Entry* const begin = levels_[level].entries.data() + g.begin;
    const Entry* const end = begin + g.size;
    const Entry* found = std::lower_bound(begin, end, at[order_[level]],
                                          [](const Entry& entry, std::int32_t v) { return entry.value < v; });
    if (found == end || found->value != at[order_[level]]) return -1;
    index += found->first;
    group = found->child;
  }
  return index;
}

void SearchSpace::neighbours(ConfigIndex index, Neighbours kind, std::vector<ConfigIndex>& out) const {
  assert(index >= 0 && index < size_);
  out.clear();
  Positions at;
  positions(index, at);
  std::int64_t prefix = 0;
  std::int32_t group = 0;
  for (std::size_t p = 0; p < at.size(); ++p) {
    const Group& g = levels_[p].groups[static_cast<std::size_t>(group)];
    const Entry* const begin = levels_[p].entries.data() + g.begin;
    const Entry* const end = begin + g.size;
    const Entry* const here =
        std::lower_bound(begin, end, at[order_[p]], [](const Entry& entry, std::int32_t v) { return entry.value < v; });
    const auto add = [&](const Entry& entry) {
      const std::int64_t found = follow(p + 1, entry.child, prefix + entry.first, at.data());
      if (found >= 0) out.push_back(found);
      return found >= 0;
    };
    if (kind == Neighbours::hamming) {
      for (const Entry* entry = begin; entry != end; ++entry)
        if (entry != here) add(*entry);
    } else {
      for (const Entry* entry = here; entry != begin && !add(entry[-1]);) --entry;
      for (const Entry* entry = here + 1; entry != end && !add(*entry);) ++entry;
    }
    prefix += here->first;
    group = here->child;
  }
}

SpaceCursor::SpaceCursor(const SearchSpace& space, ConfigIndex from)
    : space_(&space), index_(from), at_(space.values_.size()), config_(space.values_.size()),
      levels_(space.values_.size()) {
  assert(from >= 0 && from <= space.size());
  if (!done()) descend(0, from);
}

// Moves down from `level` to the `rest`-th configuration of the group that the level above leads to.
void SpaceCursor::descend(std::size_t level, ConfigIndex rest) {
  std::int32_t group = level == 0 ? 0 : levels_[level - 1].first->child;
  for (; level < levels_.size(); ++level) {
    const SearchSpace::Level& l = space_->levels_[level];
    const SearchSpace::Group& g = l.groups[static_cast<std::size_t>(group)];
    const SearchSpace::Entry* entry = l.entries.data() + g.begin;
    levels_[level].second = entry + g.size;
    if (rest > 0) {
      entry =
          std::upper_bound(entry, entry + g.size, rest, [](std::int64_t i, const auto& e) { return i < e.first; }) - 1;
      rest -= entry->first;
    }
    take(level, entry);
    group = entry->child;
  }
}

void SpaceCursor::take(std::size_t level, const SearchSpace::Entry* entry) {
  levels_[level].first = entry;
  const std::size_t param = space_->order_[level];
  at_[param] = entry->value;
  config_[param] = space_->values_[param][static_cast<std::size_t>(entry->value)];
}

void SpaceCursor::next() {
  assert(!done());
  if (++index_ == space_->size()) return;
  std::size_t level = levels_.size() - 1;
  while (levels_[level].first + 1 == levels_[level].second) --level;
  take(level, levels_[level].first + 1);
  if (level + 1 < levels_.size()) descend(level + 1, 0);
}

const std::vector<SearchSpace::Rejection>& SearchSpace::rejections() const { return rejections_; }
int SearchSpace::param_count() const { return static_cast<int>(values_.size()); }
const std::vector<std::vector<std::int64_t>>& SearchSpace::values() const { return values_; }
const std::vector<std::vector<double>>& SearchSpace::coordinates() const { return coordinates_; }

// Every stored group belongs to a configuration, and so do its entries.
std::vector<std::vector<bool>> SearchSpace::used_values() const {
  std::vector<std::vector<bool>> used;
  for (const auto& values : values_) used.emplace_back(values.size());
  for (std::size_t level = 0; level < levels_.size() && size_ > 0; ++level)
    for (const Group& group : levels_[level].groups)
      for (std::int32_t i = 0; i < group.size; ++i)
        used[order_[level]]
            [static_cast<std::size_t>(levels_[level].entries[static_cast<std::size_t>(group.begin + i)].value)] = true;
  return used;
}

} // namespace warptune
