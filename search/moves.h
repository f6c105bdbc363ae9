// Moves: steps from valid configurations to valid ones, and the order of each param's values that steps go by.
// Remembers nothing of what was observed.
#pragma once

#include "search/draws.h"
#include "space/space.h"

namespace warptune {

// Each param's values by rank: in the order of their coordinates, or as listed when they are categories.
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
  // Of a real number of ranks: rounded at random to either side, so that parts of a step count; then clamped.
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

  // Repair: from a valid configuration as near to the target, valid or not, as taking its values one by one, in random
  // order, leads without leaving the space.
  ConfigIndex toward(ConfigIndex from, const Positions& target);
  // The valid configurations one step away, in random order: the next valid value below and above (any other value of a
  // category), or all values of one param; of a param with very many, a sample of kMaxValues.
  void neighbours(ConfigIndex from, SearchSpace::Neighbours kind, std::vector<ConfigIndex>& out);
  // One of them; `from` itself when it has none.
  ConfigIndex neighbour(ConfigIndex from, SearchSpace::Neighbours kind);
  // Gives `count` randomly chosen params other values, as far as that stays valid.
  ConfigIndex jump(ConfigIndex from, std::size_t count);
  // Another value for the param: half of the time the next one below or above, else any.
  std::int32_t mutate(std::size_t param, std::int32_t position);

 private:
  static constexpr std::int32_t kMaxValues = 64; // of one param that a neighbourhood takes
  std::int32_t stretch(std::int32_t i, std::int32_t size);
  void add_neighbours(std::size_t param, Positions& at, SearchSpace::Neighbours kind, std::vector<ConfigIndex>& out);

  const SearchSpace& space_;
  Draws& draws_;
  Axes axes_;
};

} // namespace warptune
