// Several strategies that share their results. Each proposes its share; those that find better configurations get a
// larger one (a bandit with decaying credit, after Fialho, Da Costa, Schoenauer and Sebag 2010). Each keeps a minimum,
// so that the search continues where one of them stalls.
#include "search/archive.h"
#include "search/strategy_table.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace warptune {
namespace {

struct Part {
  std::string_view name;
  double credit; // initial and minimum credit
};
// The surrogate finds most with few evaluations; the others search where its model does not.
constexpr std::array kMembers{Part{"surrogate", 1.0}, Part{"annealing", 0.05}, Part{"tabu_greywolf", 0.05}};
constexpr double kDecay = 0.98; // decay of gains and uses per proposal: about the last fifty count
constexpr int kTries = 8;       // proposals of one part, at most, to find a new one

class Portfolio final : public Strategy {
 public:
  explicit Portfolio(const StrategySetup& setup) : archive_(setup.space, setup.seed) {
    for (std::size_t i = 0; i < kMembers.size(); ++i) {
      auto made = make_strategy(kMembers[i].name, setup.space, mix(setup.seed + i), {}, setup.knowledge);
      assert(made);
      arms_.push_back({std::move(*made), kMembers[i].credit});
    }
  }

  std::vector<ConfigIndex> propose(std::size_t count) override {
    std::vector<ConfigIndex> out;
    while (out.size() < count) {
      std::optional<ConfigIndex> index = next();
      if (!index && archive_.in_flight() == 0) index = archive_.draw();
      if (!index) break;
      archive_.propose(*index);
      out.push_back(*index);
    }
    return out;
  }

  void observe(const Observation& observation) override {
    if (archive_.log_time(observation.index)) return;
    const double before = archive_.best_log_time();
    archive_.observe(observation);
    if (const auto asked = asked_.find(observation.index); asked != asked_.end()) {
      if (archive_.best_log_time() < before) arms_[asked->second].gains += 1;
      asked_.erase(asked);
    }
    for (Arm& arm : arms_) arm.strategy->observe(observation);
  }

  std::optional<double> expected_improvement() const override { return arms_.front().strategy->expected_improvement(); }

 private:
  struct Arm {
    std::unique_ptr<Strategy> strategy;
    double least_credit;
    double gains = 0, uses = 0; // numbers of new bests and of proposals, with decay
    double owed = 0;            // proposals
  };

  // Proposes from the arm that is owed most. If that arm waits for results or proposes nothing new, proposes from the
  // next arm.
  std::optional<ConfigIndex> next() {
    double total = 0;
    for (const Arm& arm : arms_) total += credit(arm);
    for (Arm& arm : arms_) arm.owed += credit(arm) / total;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < arms_.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return arms_[a].owed > arms_[b].owed; });
    for (const std::size_t i : order) {
      const std::optional<ConfigIndex> index = new_idea(*arms_[i].strategy);
      if (!index) continue;
      for (Arm& arm : arms_) {
        arm.gains *= kDecay;
        arm.uses *= kDecay;
      }
      arms_[i].uses += 1;
      arms_[i].owed -= 1;
      asked_[*index] = i;
      return index;
    }
    return std::nullopt;
  }

  // Gains per proposal. One is added to the proposals, because few of them say little.
  static double credit(const Arm& arm) { return arm.least_credit + arm.gains / (arm.uses + 1); }

  // A configuration in flight for another arm is not new; this arm will observe its result, too.
  std::optional<ConfigIndex> new_idea(Strategy& strategy) const {
    for (int tries = 0; tries < kTries; ++tries) {
      const std::vector<ConfigIndex> proposed = strategy.propose(1);
      if (proposed.empty()) return std::nullopt;
      if (!archive_.visited(proposed.front())) return proposed.front();
    }
    return std::nullopt;
  }

  Archive archive_;
  std::vector<Arm> arms_;
  std::unordered_map<ConfigIndex, std::size_t> asked_; // configurations in flight, with the index of the arm
};

} // namespace

WT_STRATEGY(portfolio) {
  return {"portfolio",
          "surrogate, annealing and tabu_greywolf share results; the more successful ones propose more",
          {},
          [](const StrategySetup& setup) { return std::unique_ptr<Strategy>(new Portfolio(setup)); }};
}

} // namespace warptune
