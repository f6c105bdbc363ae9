#include "search/latin_hypercube.h"

#include <cmath>

namespace warptune {

std::optional<ConfigIndex> LatinHypercube::next() {
  if (rows_.empty()) begin_block();
  const Positions row = rows_.back();
  rows_.pop_back();
  std::optional<ConfigIndex> farthest;
  double most = -1;
  for (std::size_t i = 0; i < candidates_; ++i) {
    const auto from = static_cast<ConfigIndex>(draws_.below(static_cast<std::size_t>(space_.size())));
    const ConfigIndex at = moves_.toward(from, row);
    if (archive_.visited(at)) continue;
    if (const double distance = distance_to_chosen(at); distance > most) {
      most = distance;
      farthest = at;
    }
  }
  if (!farthest) farthest = archive_.draw();
  if (farthest) chosen_.push_back(moves_.positions(*farthest));
  return farthest;
}

void LatinHypercube::begin_block() {
  const Axes& axes = moves_.axes();
  chosen_.clear();
  rows_.assign(block_, Positions(axes.count()));
  std::vector<std::size_t> strata(block_);
  for (std::size_t p = 0; p < axes.count(); ++p) {
    for (std::size_t i = 0; i < block_; ++i) strata[i] = i;
    draws_.shuffle(strata);
    for (std::size_t i = 0; i < block_; ++i) {
      const double share = (static_cast<double>(strata[i]) + draws_.uniform()) / static_cast<double>(block_);
      rows_[i][p] = axes.position(p, static_cast<std::int32_t>(share * axes.size(p)));
    }
  }
}

// The distance to the nearest configuration of the block: the sum over the params of the difference as a share of the
// range. For a param without an order, any difference counts 1.
double LatinHypercube::distance_to_chosen(ConfigIndex index) const {
  const Axes& axes = moves_.axes();
  const Positions at = moves_.positions(index);
  double nearest = std::numeric_limits<double>::infinity();
  for (const Positions& other : chosen_) {
    double distance = 0;
    for (const std::size_t p : axes.free()) {
      if (at[p] == other[p]) continue;
      const double ranks = axes.rank(p, at[p]) - axes.rank(p, other[p]);
      distance += axes.ordered(p) ? std::abs(ranks) / (axes.size(p) - 1) : 1;
    }
    nearest = std::min(nearest, distance);
  }
  return nearest;
}

} // namespace warptune
