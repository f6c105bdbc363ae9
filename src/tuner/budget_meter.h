// BudgetMeter: counts proposals against the budget, whether they are measured or reused from an earlier run. It counts
// trials in the order of their proposals, so a resumed session ends at the same trial as an uninterrupted one.
#pragma once

#include "search/strategy.h"
#include "tuner/budget.h"

#include <cstdint>
#include <optional>

namespace warptune {

// How many candidates may be open with a strategy that learns. A candidate is open from its proposal until the strategy
// observes its result. The number must be small, because a strategy proposes without knowing the results of open
// candidates. It must not be too small either: compiling takes longer than measuring, so if fewer candidates are open
// than there are compilers, the device waits. On the recordings, searches with 16 open candidates found configurations
// as good as searches with 1, in a quarter of the time. With 128, the configurations were clearly worse
// (docs/notes/knowledge.md). The number does not depend on the number of cores, because a strategy must make the same
// proposals on every machine.
inline constexpr std::int64_t kLearningAhead = 16;
// The maximum number of open candidates with a strategy that does not learn. It is large, so that slow compilations can
// be started early.
inline constexpr std::int64_t kBlindlyAhead = 1024;
// The maximum number of open candidates of a search on several devices. Up to 4 devices together have as many open
// candidates as one device, so the proposals stay the same. With more devices, 4 candidates are open per device
// (docs/notes/islands.md).
std::int64_t candidates_ahead(bool learns, int devices);

class BudgetMeter {
 public:
  // `spent_s`: the seconds that earlier runs of a resumed session spent on trials.
  BudgetMeter(const Budget& budget, const StopRules& rules, std::int64_t space_size, double spent_s);

  bool out_of_time(double elapsed_s) const;
  std::int64_t limit() const { return limit_; } // maximum number of candidates; at most the size of the space

  // Sets the shortest time in us that the roofline allows. A target in percent needs this time. 0: not known.
  void set_floor(double floor_us);
  // Call once per trial, in the order of the proposals, after the strategy has observed the trial.
  void observe(const Observation& observation, const Strategy& strategy);
  std::optional<Ending> satisfied() const { return satisfied_; } // target or low_expected_gain, once reached
  bool heard_forecast() const { return heard_forecast_; }        // whether the strategy has made any forecast

 private:
  std::int64_t limit_;
  double seconds_; // 0: no limit
  double spent_s_;
  StopRules rules_;
  double target_us_; // 0: none
  double best_us_ = 0;
  int low_ = 0; // number of consecutive forecasts below rules_.stop_below
  bool heard_forecast_ = false;
  std::optional<Ending> satisfied_;
};

} // namespace warptune
