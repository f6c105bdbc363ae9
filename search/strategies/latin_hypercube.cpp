// Latin hypercube sampling (McKay, Beckman, Conover 1979), block by block, with the maximin criterion (Johnson, Moore,
// Ylvisaker 1990): in a block every value of a param comes equally often, and of several such configurations the one
// farthest from those before it is taken. Constraints bend it: each is repaired to a valid one.
#include "search/archive.h"
#include "search/moves.h"
#include "search/strategy_table.h"

#include <cmath>

namespace warptune {
namespace {

class LatinHypercube final : public Strategy {
 public:
  explicit LatinHypercube(const StrategySetup& setup)
      : space_(setup.space), archive_(setup.space, setup.seed), draws_(setup.seed, 8), moves_(setup.space, draws_),
        block_(static_cast<std::size_t>(setup.options.at("block"))),
        candidates_(static_cast<std::size_t>(setup.options.at("candidates"))) {}

  std::vector<ConfigIndex> propose(std::size_t count) override {
    std::vector<ConfigIndex> out;
    while (out.size() < count) {
      const std::optional<ConfigIndex> index = next();
      if (!index) break;
      archive_.propose(*index);
      out.push_back(*index);
    }
    return out;
  }

  void observe(const Observation& observation) override { archive_.observe(observation); }
  bool learns() const override { return false; }

 private:
  std::optional<ConfigIndex> next() {
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

  void begin_block() {
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

  // To the nearest of the block: the sum over the params of the difference as a share of the range.
  double distance_to_chosen(ConfigIndex index) const {
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

  const SearchSpace& space_;
  Archive archive_;
  Draws draws_;
  Moves moves_;
  std::size_t block_, candidates_;
  std::vector<Positions> rows_;   // of the block, to come
  std::vector<Positions> chosen_; // of the block, so far
};

} // namespace

WT_STRATEGY(latin_hypercube) {
  return {"latin_hypercube",
          "spread evenly over every param, far from each other",
          {{"block", "configurations that are spread evenly together", 32, 1, 4096, true},
           {"candidates", "of which the farthest from the others is taken", 8, 1, 1000, true}},
          [](const StrategySetup& setup) { return std::unique_ptr<Strategy>(new LatinHypercube(setup)); }};
}

} // namespace warptune
