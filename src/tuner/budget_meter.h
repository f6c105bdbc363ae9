// BudgetMeter: counts proposals, measured or reused. It evaluates trials in the order in which they were proposed, so
// that a resumed session ends at the same point as an uninterrupted one.
#pragma once

#include "search/strategy.h"
#include "tuner/budget.h"

#include <cstdint>
#include <optional>

namespace warptune {

// The maximum number of open candidates for a strategy that learns. A candidate is open from its proposal until the
// strategy observes its result. Only a few should be open, because a strategy proposes without the results of open
// candidates. But compiling takes longer than measuring, so with fewer open candidates than compilers the device must
// wait. On the recordings, 16 open candidates gave configurations as good as 1 did, in a quarter of the time; 128 gave
// clearly worse ones (docs/notes/knowledge.md). The number does not depend on the number of cores, because a strategy
// must make the same proposals on every machine.
inline constexpr std::int64_t kLearningAhead = 16;
// The same maximum for a strategy that does not learn. It is large, so that the compilers can start slow compilations
// first.
inline constexpr std::int64_t kBlindlyAhead = 1024;
// The maximum for a search on several devices. With up to 4 devices, the proposals are the same as with one; with more,
// each device has 4 open candidates (docs/notes/islands.md).
std::int64_t candidates_ahead(bool learns, int devices);

class BudgetMeter {
 public:
  // `spent_s`: the time that earlier runs of a resumed session spent on trials.
  BudgetMeter(const Budget& budget, const StopRules& rules, std::int64_t space_size, double spent_s);

  bool out_of_time(double elapsed_s) const;
  std::int64_t limit() const { return limit_; } // maximum number of candidates; at most the size of the space

  // Sets the shortest time, in us, that the roofline allows. A target in percent of the roofline needs it. 0: not
  // known.
  void set_floor(double floor_us);
  // Call once per trial, in the order of the proposals, after the strategy has observed it.
  void observe(const Observation& observation, const Strategy& strategy);
  std::optional<Ending> satisfied() const { return satisfied_; } // the reason: target or low_expected_gain
  bool heard_forecast() const { return heard_forecast_; }        // whether the strategy made a forecast at least once

 private:
  std::int64_t limit_;
  double seconds_; // 0: no limit
  double spent_s_;
  StopRules rules_;
  double target_us_; // 0: none
  double best_us_ = 0;
  int low_ = 0; // the number of consecutive forecasts below rules_.stop_below
  bool heard_forecast_ = false;
  std::optional<Ending> satisfied_;
};

} // namespace warptune
