// The decision of the finals: the winner; the finalists that cannot be distinguished from the best; and whether the
// winner is better than the default for the session's objective. The default wins unless another configuration is
// proven better. Pure functions.
#pragma once

#include "core/objective.h"
#include "tuner/finalist.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warptune {

struct Decision {
  // The winner is chosen among the finalists of tie_set that are within 0.2 % of the best and proven better than the
  // default. The criteria, in this order, are: no library calls, fewest registers, least shared memory, fewest threads,
  // order of the params' values. So a repeated sweep picks the same winner. If tie_set contains the default, the
  // default wins.
  std::size_t winner = 0;           // index of a finalist
  std::vector<std::size_t> tie_set; // the best, and all finalists that cannot be distinguished from it at 95 %
  // median_us is the median of the winner's samples as measured. The interval contains a new process's sample with 95 %
  // probability, if that process's clock is at most one step from the rounds' clock.
  double median_us = 0, ci_low_us = 0, ci_high_us = 0;
  double default_us = 0;  // the default's time, converted to the winner's clock
  double p_value = 1;     // p-value of the hypothesis "the winner is not better than the default"
  bool certified = false; // whether there were enough rounds for a decision
  // A sentence for the user.
  std::string outcome;
};

// The minimum number of rounds or readings for certification. With fewer, the signed-rank test cannot reach a
// confidence of 95 %.
inline constexpr std::size_t kMinRounds = 5;

// Marks a finalist as settled if, in each of at least kMinRounds rounds, it was slower than the fastest by more than
// the spread between rounds.
void settle_losers(std::vector<Finalist>& finalists);

// Returns the finalist's time in us, converted to the winner's clock. The converted time is comparable with the
// winner's median, even if the two finalists ran in different rounds.
double beside_winner_us(const Finalist& finalist, const Finalist& winner);

// Returns the objective's value, from the medians so far. Without a reading, energy is 0.
double objective_of(const Finalist& finalist, Objective objective);

// Returns nullopt if all finalists failed. For energy objectives, compares only finalists with a reading in every
// round. `sm_clock_mhz`: the clock during the rounds; 0: not known.
std::optional<Decision> decide(std::span<const Finalist> finalists, Objective objective = Objective::time,
                               double sm_clock_mhz = 0);

} // namespace warptune
