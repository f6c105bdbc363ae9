// Every configuration, in the order of the space.
#include "search/strategy_table.h"

#include <unordered_set>

namespace warptune {
namespace {

class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(std::int64_t size) : size_(size) {}

  std::vector<ConfigIndex> propose(std::size_t count) override {
    std::vector<ConfigIndex> out;
    for (; out.size() < count && next_ < size_; ++next_)
      if (outside_.erase(next_) == 0) out.push_back(next_);
    return out;
  }

  void observe(const Observation& observation) override {
    if (observation.index >= next_) outside_.insert(observation.index);
  }
  bool learns() const override { return false; }

 private:
  std::int64_t size_;
  ConfigIndex next_ = 0;
  std::unordered_set<ConfigIndex> outside_; // observed but not proposed
};

} // namespace

WT_STRATEGY(exhaustive) {
  return {"exhaustive", "every valid configuration, in order", {}, [](const StrategySetup& setup) {
            return std::unique_ptr<Strategy>(new Exhaustive(setup.space.size()));
          }};
}

} // namespace warptune
