// Uniform sampling without replacement.
#include "search/archive.h"
#include "search/strategy_table.h"

namespace warptune {
namespace {

class Random final : public Strategy {
 public:
  explicit Random(const StrategySetup& setup) : archive_(setup.space, setup.seed) {}

  std::vector<ConfigIndex> propose(std::size_t count) override {
    std::vector<ConfigIndex> out;
    while (out.size() < count) {
      const std::optional<ConfigIndex> index = archive_.draw();
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
};

} // namespace

WT_STRATEGY(random) {
  return {"random", "uniform without replacement", {}, [](const StrategySetup& setup) {
            return std::unique_ptr<Strategy>(new Random(setup));
          }};
}

} // namespace warptune
