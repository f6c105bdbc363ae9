// Moves: steps from one valid configuration to another. Axes: the order of each param's values for such steps. Neither
// stores observations.
#pragma once

#include "search/draws.h"
#include "space/space.h"

namespace warptune {

// Ranks the values of each param by coordinate, or by their order in the list if they are categories.
class Axes {
 public:
  explicit Axes(const SearchSpace& space);
  std::size_t count() const { return axes_.size(); } // number of params
  std::int32_t size(std::size_t param) const { return static_cast<std::int32_t>(axes_[param].rank.size()); }
  bool ordered(std::size_t param) const { return axes_[param].ordered; }
  std::int32_t rank(std::size_t param, std::int32_t position) const {
    return axes_[param].rank[static_cast<std::size_t>(position)];
  }
  std::int32_t position(std::size_t param, std::int32_t rank) const {
    return axes_[param].position[static_cast<std::size_t>(rank)];
  }
  // Rounds a fractional rank up or down at random, in proportion to the fraction, and clamps the result.
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

  // Repairs a configuration: begins at the valid `from`, and adopts the values of `target` (which may be invalid) one
  // by one in random order, each only if the result is valid.
  ConfigIndex toward(ConfigIndex from, const Positions& target);
  // Returns the valid configurations that differ in one param, in random order. adjacent: the next valid value below
  // and above (for a category, any other value). hamming: all values, or a sample of kMaxValues if there are very many.
  void neighbours(ConfigIndex from, SearchSpace::Neighbours kind, std::vector<ConfigIndex>& out);
  // Returns a random neighbour; `from` if it has none.
  ConfigIndex neighbour(ConfigIndex from, SearchSpace::Neighbours kind);
  // Changes up to `count` random params, as far as the configuration stays valid.
  ConfigIndex jump(ConfigIndex from, std::size_t count);
  // Returns another value of the param: with probability 1/2 the next one below or above, otherwise any.
  std::int32_t mutate(std::size_t param, std::int32_t position);

 private:
  static constexpr std::int32_t kMaxValues = 64; // maximum number of values of one param in a neighbourhood
  std::int32_t stretch(std::int32_t i, std::int32_t size);
  void add_neighbours(std::size_t param, Positions& at, SearchSpace::Neighbours kind, std::vector<ConfigIndex>& out);

  const SearchSpace& space_;
  Draws& draws_;
  Axes axes_;
};

} // namespace warptune
