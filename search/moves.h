// Moves: steps from a valid configuration to another, and the order of each param's values for such steps.
// Stores no observations.
#pragma once

#include "search/draws.h"
#include "space/space.h"

namespace warptune {

// Ranks each param's values by their coordinates, or by the listed order for categories.
class Axes {
 public:
  explicit Axes(const SearchSpace& space);
  std::size_t count() const { return axes_.size(); } // params
  std::int32_t size(std::size_t param) const { return static_cast<std::int32_t>(axes_[param].rank.size()); }
  bool ordered(std::size_t param) const { return axes_[param].ordered; }
  std::int32_t rank(std::size_t param, std::int32_t position) const {
    return axes_[param].rank[static_cast<std::size_t>(position)];
  }
  std::int32_t position(std::size_t param, std::int32_t rank) const {
    return axes_[param].position[static_cast<std::size_t>(rank)];
  }
  // Rounds a fractional rank randomly up or down, so that fractions of a step count; then clamps it.
  std::int32_t round(std::size_t param, double rank, Draws& draws) const;
  const std::vector<std::size_t>& free() const { return free_; } // params with more than one value

 private:
  struct Axis {
    std::vector<std::int32_t> rank, position;
    bool ordered;
  };
  std::vector<Axis> axes_;
  std::vector<std::size_t> free_;
};

class Moves {
 public:
  Moves(const SearchSpace& space, Draws& draws) : space_(space), draws_(draws), axes_(space) {}

  const Axes& axes() const { return axes_; }
  Positions positions(ConfigIndex index) const;

  // Repair: starts at a valid configuration and adopts the values of the target, which may be invalid, one by one in
  // random order, as long as every step is valid.
  ConfigIndex toward(ConfigIndex from, const Positions& target);
  // Returns the valid configurations one step away, in random order: the next valid value below and above (any other
  // value of a category), or all values of one param; for a param with very many values, a sample of kMaxValues.
  void neighbours(ConfigIndex from, SearchSpace::Neighbours kind, std::vector<ConfigIndex>& out);
  // Returns a random neighbour, or `from` itself if it has none.
  ConfigIndex neighbour(ConfigIndex from, SearchSpace::Neighbours kind);
  // Changes up to `count` randomly chosen params, as long as the configuration stays valid.
  ConfigIndex jump(ConfigIndex from, std::size_t count);
  // Returns another value for the param: with probability 1/2 the next one below or above, otherwise any other.
  std::int32_t mutate(std::size_t param, std::int32_t position);

 private:
  static constexpr std::int32_t kMaxValues = 64; // the maximum number of values of one param in a neighbourhood
  std::int32_t stretch(std::int32_t i, std::int32_t size);
  void add_neighbours(std::size_t param, Positions& at, SearchSpace::Neighbours kind, std::vector<ConfigIndex>& out);

  const SearchSpace& space_;
  Draws& draws_;
  Axes axes_;
};

} // namespace warptune
