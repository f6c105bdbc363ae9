// FirstPoints: the configurations that a strategy with a model tries before the model knows enough.
#pragma once

#include "search/archive.h"
#include "search/author_estimates.h"
#include "search/features.h"

#include <vector>

namespace warptune {

class FirstPoints {
 public:
  // `initial`: how many there are if results arrive at once. `expected`: configurations with the best expected times,
  // fastest first. `archive` must outlive this object.
  FirstPoints(const SearchSpace& space, const Features& features, const Knowledge& knowledge,
              const AuthorEstimates& estimates, Archive& archive, const std::vector<ConfigIndex>& expected,
              std::size_t initial, Draws& draws);

  // Returns a configuration that is not visited; nullopt if all are. `proposed`: how many were proposed so far. In
  // turn: hints, good estimates, configurations without an estimate, and configurations that are spread over the space.
  // If the caller has more than `initial` in flight, more good estimates come before the last.
  std::optional<ConfigIndex> next(std::size_t proposed);

 private:
  // Indices that are tried in their order.
  struct List {
    std::vector<ConfigIndex> indices;
    std::size_t tried = 0;
  };
  std::optional<ConfigIndex> first_of(List& list, std::size_t most);

  Archive& archive_;
  std::size_t initial_;
  List hints_, expected_, without_estimate_, spread_;
};

} // namespace warptune
