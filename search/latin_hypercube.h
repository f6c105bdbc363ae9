// LatinHypercube: configurations spread evenly over every param and far from each other, block by block. For a strategy
// of its own and to start others from. Hears of no observation.
#pragma once

#include "search/archive.h"
#include "search/moves.h"

namespace warptune {

// Latin hypercube sampling (McKay, Beckman, Conover 1979) with the maximin criterion (Johnson, Moore, Ylvisaker 1990):
// in a block every value of a param comes equally often, and of several such configurations the one farthest from those
// before it is taken. Constraints bend it: each is repaired to a valid one.
class LatinHypercube {
 public:
  LatinHypercube(const SearchSpace& space, Archive& archive, Moves& moves, Draws& draws, std::size_t block,
                 std::size_t candidates = 8)
      : space_(space), archive_(archive), moves_(moves), draws_(draws), block_(block), candidates_(candidates) {}

  std::optional<ConfigIndex> next(); // not visited; nothing when all are

 private:
  void begin_block();
  double distance_to_chosen(ConfigIndex index) const;

  const SearchSpace& space_;
  Archive& archive_;
  Moves& moves_;
  Draws& draws_;
  std::size_t block_, candidates_;
  std::vector<Positions> rows_;   // of the block, to come
  std::vector<Positions> chosen_; // of the block, so far
};

} // namespace warptune
