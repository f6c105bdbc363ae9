#include "search/population.h"

namespace warptune {

std::optional<ConfigIndex> breed(const Archive& archive, Moves& moves, Draws& draws, const Breeding& breeding,
                                 const std::function<ConfigIndex()>& parent) {
  constexpr int kTries = 32;
  const std::vector<std::size_t>& params = moves.axes().free();
  double mutation = breeding.mutation / static_cast<double>(std::max<std::size_t>(params.size(), 1));
  for (int i = 0; i < kTries; ++i) {
    const ConfigIndex first = parent();
    Positions child = moves.positions(first);
    if (draws.chance(breeding.crossover)) {
      const Positions second = moves.positions(parent());
      for (const std::size_t p : params)
        if (draws.chance(0.5)) child[p] = second[p];
    }
    for (const std::size_t p : params)
      if (draws.chance(mutation)) child[p] = moves.mutate(p, child[p]);
    const ConfigIndex repaired = moves.toward(first, child);
    if (archive.worth(repaired, draws)) return repaired;
    constexpr double kGrowth = 1.1, kMaxRate = 0.5;
    mutation = std::min(std::max(mutation, 0.01) * kGrowth, kMaxRate);
  }
  return std::nullopt;
}

} // namespace warptune
