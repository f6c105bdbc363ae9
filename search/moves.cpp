#include "search/moves.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warptune {

Axes::Axes(const SearchSpace& space) {
  for (std::size_t p = 0; p < space.values().size(); ++p) {
    const std::vector<double>& coordinates = space.coordinates()[p];
    Axis& axis = axes_.emplace_back();
    axis.ordered = std::none_of(coordinates.begin(), coordinates.end(), [](double c) { return std::isnan(c); });
    axis.position.resize(space.values()[p].size());
    std::iota(axis.position.begin(), axis.position.end(), 0);
    const auto at = [&](std::int32_t position) { return coordinates[static_cast<std::size_t>(position)]; };
    if (axis.ordered)
      std::stable_sort(axis.position.begin(), axis.position.end(), [&](auto a, auto b) { return at(a) < at(b); });
    axis.rank.resize(axis.position.size());
    for (std::size_t r = 0; r < axis.position.size(); ++r)
      axis.rank[static_cast<std::size_t>(axis.position[r])] = static_cast<std::int32_t>(r);
    if (axis.rank.size() > 1) free_.push_back(p);
  }
}

std::int32_t Axes::round(std::size_t param, double rank, Draws& draws) const {
  const double clamped = std::clamp(rank, 0.0, static_cast<double>(size(param) - 1));
  const double below = std::floor(clamped);
  return static_cast<std::int32_t>(below) + (draws.chance(clamped - below) ? 1 : 0);
}

Positions Moves::positions(ConfigIndex index) const {
  Positions at;
  space_.positions(index, at);
  return at;
}

ConfigIndex Moves::toward(ConfigIndex from, const Positions& target) {
  if (const auto valid = space_.find_positions(target)) return *valid;
  Positions at = positions(from);
  std::vector<std::size_t> order;
  for (const std::size_t p : axes_.free())
    if (at[p] != target[p]) order.push_back(p);
  draws_.shuffle(order);
  // A value that is not valid may become valid once other values are taken.
  for (bool moved = true; moved;) {
    moved = false;
    std::erase_if(order, [&](std::size_t p) {
      const std::int32_t before = std::exchange(at[p], target[p]);
      const auto valid = space_.find_positions(at);
      if (!valid) {
        at[p] = before;
        return false;
      }
      from = *valid;
      return moved = true;
    });
  }
  return from;
}

// A random rank in the i-th of kMaxValues stretches of an axis.
std::int32_t Moves::stretch(std::int32_t i, std::int32_t size) {
  const auto begin = std::int64_t{i} * size / kMaxValues, end = (std::int64_t{i} + 1) * size / kMaxValues;
  return static_cast<std::int32_t>(begin) +
         static_cast<std::int32_t>(draws_.below(static_cast<std::size_t>(end - begin)));
}

void Moves::add_neighbours(std::size_t param, Positions& at, SearchSpace::Neighbours kind,
                           std::vector<ConfigIndex>& out) {
  const std::int32_t here = at[param], rank = axes_.rank(param, here), size = axes_.size(param);
  const auto add = [&](std::int32_t r) {
    at[param] = axes_.position(param, r);
    const auto valid = space_.find_positions(at);
    if (valid) out.push_back(*valid);
    return valid.has_value();
  };
  if (kind == SearchSpace::Neighbours::adjacent && axes_.ordered(param)) {
    for (std::int32_t r = rank - 1; r >= 0 && !add(r);) --r;
    for (std::int32_t r = rank + 1; r < size && !add(r);) ++r;
  } else if (size <= kMaxValues) {
    for (std::int32_t r = 0; r < size; ++r)
      if (r != rank) add(r);
  } else {
    for (std::int32_t i = 0; i < kMaxValues; ++i) // one per stretch, so that none repeats
      if (const std::int32_t r = stretch(i, size); r != rank) add(r);
  }
  at[param] = here;
}

void Moves::neighbours(ConfigIndex from, SearchSpace::Neighbours kind, std::vector<ConfigIndex>& out) {
  out.clear();
  Positions at = positions(from);
  for (const std::size_t p : axes_.free()) add_neighbours(p, at, kind, out);
  draws_.shuffle(out);
}

ConfigIndex Moves::neighbour(ConfigIndex from, SearchSpace::Neighbours kind) {
  Positions at = positions(from);
  std::vector<std::size_t> params = axes_.free();
  draws_.shuffle(params);
  std::vector<ConfigIndex> found;
  for (const std::size_t p : params) {
    add_neighbours(p, at, kind, found);
    if (!found.empty()) return draws_.pick(found);
  }
  return from;
}

ConfigIndex Moves::jump(ConfigIndex from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) from = neighbour(from, SearchSpace::Neighbours::hamming);
  return from;
}

std::int32_t Moves::mutate(std::size_t param, std::int32_t position) {
  const std::int32_t size = axes_.size(param), rank = axes_.rank(param, position);
  if (size < 2) return position;
  if (axes_.ordered(param) && draws_.chance(0.5)) {
    const bool up = rank == 0 || (rank + 1 < size && draws_.chance(0.5));
    return axes_.position(param, up ? rank + 1 : rank - 1);
  }
  const auto other = static_cast<std::int32_t>(draws_.below(static_cast<std::size_t>(size - 1)));
  return axes_.position(param, other + (other >= rank ? 1 : 0));
}

} // namespace warptune
