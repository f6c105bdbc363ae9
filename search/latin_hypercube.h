// LatinHypercube: configurations that are spread evenly over the values of each param and are far from each other, in
// blocks. A strategy by itself, and also the start of other strategies. Ignores observations.
#pragma once

#include "search/archive.h"
#include "search/moves.h"

namespace warptune {

// Latin hypercube sampling (McKay, Beckman, Conover 1979) with the maximin criterion (Johnson, Moore, Ylvisaker 1990).
// In a block, every value of a param occurs equally often. Of several candidates with this property, the one farthest
// from those already chosen is taken. If the space has constraints, each candidate is repaired to a valid one, so the
// values occur only approximately equally often.
class LatinHypercube {
 public:
  LatinHypercube(const SearchSpace& space, Archive& archive, Moves& moves, Draws& draws, std::size_t block,
                 std::size_t candidates = 8)
      : space_(space), archive_(archive), moves_(moves), draws_(draws), block_(block), candidates_(candidates) {}

  std::optional<ConfigIndex> next(); // an unvisited configuration; nullopt if all are visited

 private:
  void begin_block();
  double distance_to_chosen(ConfigIndex index) const;

  const SearchSpace& space_;
  Archive& archive_;
  Moves& moves_;
  Draws& draws_;
  std::size_t block_, candidates_;
  std::vector<Positions> rows_;   // rows of the block not yet proposed
  std::vector<Positions> chosen_; // rows of the block already proposed
};

} // namespace warptune
