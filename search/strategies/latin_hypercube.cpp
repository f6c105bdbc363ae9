// Unlimited Latin hypercube sampling with the maximin criterion (search/latin_hypercube.h).
#include "search/latin_hypercube.h"

#include "search/ask_tell.h"
#include "search/strategy_table.h"

namespace warptune {
namespace {

class LatinHypercubeSearch {
 public:
  static constexpr bool kLearns = false;
  LatinHypercubeSearch(const StrategySetup& setup, Archive& archive)
      : draws_(setup.seed, 8), moves_(setup.space, draws_),
        samples_(setup.space, archive, moves_, draws_, static_cast<std::size_t>(setup.options.at("block")),
                 static_cast<std::size_t>(setup.options.at("candidates"))) {}

  std::optional<ConfigIndex> next() { return samples_.next(); }

 private:
  Draws draws_;
  Moves moves_;
  LatinHypercube samples_;
};

} // namespace

WT_STRATEGY(latin_hypercube) {
  return {"latin_hypercube",
          "configurations spread evenly over every param",
          {{"block", "number of configurations in a block; each block is spread evenly", 32, 1, 1024, true},
           {"candidates",
            "number of candidates for each proposal; the one farthest from the earlier configurations is chosen", 8, 1,
            100, true}},
          ask_tell<LatinHypercubeSearch>};
}

} // namespace warptune
