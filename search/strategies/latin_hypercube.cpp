// Latin hypercube sampling with the maximin criterion, without an end (search/latin_hypercube.h).
#include "search/latin_hypercube.h"

#include "search/strategy_table.h"

namespace warptune {
namespace {

class LatinHypercubeStrategy final : public Strategy {
 public:
  explicit LatinHypercubeStrategy(const StrategySetup& setup)
      : archive_(setup.space, setup.seed), draws_(setup.seed, 8), moves_(setup.space, draws_),
        samples_(setup.space, archive_, moves_, draws_, static_cast<std::size_t>(setup.options.at("block")),
                 static_cast<std::size_t>(setup.options.at("candidates"))) {}

  std::vector<ConfigIndex> propose(std::size_t count) override {
    std::vector<ConfigIndex> out;
    while (out.size() < count) {
      const std::optional<ConfigIndex> index = samples_.next();
      if (!index) break;
      archive_.propose(*index);
      out.push_back(*index);
    }
    return out;
  }

  void observe(const Observation& observation) override { archive_.observe(observation); }
  bool learns() const override { return false; }

 private:
  Archive archive_;
  Draws draws_;
  Moves moves_;
  LatinHypercube samples_;
};

} // namespace

WT_STRATEGY(latin_hypercube) {
  return {"latin_hypercube",
          "spread evenly over every param, far from each other",
          {{"block", "configurations that are spread evenly together", 32, 1, 1024, true},
           {"candidates", "of which the farthest from the others is taken", 8, 1, 100, true}},
          [](const StrategySetup& setup) { return std::unique_ptr<Strategy>(new LatinHypercubeStrategy(setup)); }};
}

} // namespace warptune
