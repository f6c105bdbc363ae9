// Uniform sampling without replacement.
#include "search/ask_tell.h"
#include "search/strategy_table.h"

namespace warptune {
namespace {

class Random {
 public:
  static constexpr bool kLearns = false;
  Random(const StrategySetup&, Archive& archive) : archive_(archive) {}
  std::optional<ConfigIndex> next() { return archive_.draw(); }

 private:
  Archive& archive_;
};

} // namespace

WT_STRATEGY(random) { return {"random", "uniform without replacement", {}, ask_tell<Random>}; }

} // namespace warptune
