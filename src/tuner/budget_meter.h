// BudgetMeter: counts proposals, measured or reused, and judges trials in the order of their proposals, so that a
// resumed session ends where an undisturbed one does.
#pragma once

#include "search/strategy.h"
#include "tuner/budget.h"

#include <cstdint>
#include <optional>

namespace warptune {

// Candidates under way at most, those included that wait for an older one to be observed, with a strategy that learns.
// Each one under way is a result that the next proposal does not know of, so there should be few; but a compilation
// takes longer than a measurement, and fewer than there are compilers leave the device waiting. On the recordings 16
// find as good configurations as 1, in a quarter of the time, and 128 clearly worse ones (docs/notes/knowledge.md). A
// constant and not a matter of cores: what a strategy knows when it proposes, and so what it proposes, must not depend
// on the machine.
inline constexpr std::int64_t kLearningAhead = 16;
// With one that learns nothing: so many that the compilers can begin with the long ones.
inline constexpr std::int64_t kBlindlyAhead = 1024;

class BudgetMeter {
 public:
  // `spent_s`: what the session that is resumed had used already.
  BudgetMeter(const Budget& budget, const StopRules& rules, std::int64_t space_size, double spent_s);

  bool out_of_time(double elapsed_s) const;
  std::int64_t limit() const { return limit_; } // candidates, at most; the whole space when seconds count

  // The shortest time that the roofline allows, for a target that is a share of it. 0: not known.
  void set_floor(double floor_us);
  // Each trial once, in the order of the proposals, after the strategy heard of it.
  void observe(const Observation& observation, const Strategy& strategy);
  std::optional<Ending> satisfied() const { return satisfied_; } // target or low_expected_gain
  bool heard_forecast() const { return heard_forecast_; }        // the strategy said what it still expects, once

 private:
  std::int64_t limit_;
  double seconds_; // 0: no limit
  double spent_s_;
  StopRules rules_;
  double target_us_; // 0: none
  double best_us_ = 0;
  int low_ = 0; // forecasts in a row that were below the rule's
  bool heard_forecast_ = false;
  std::optional<Ending> satisfied_;
};

} // namespace warptune
