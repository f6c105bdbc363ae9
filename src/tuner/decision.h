// The decision of the finals: the winner, the set of finalists that cannot be distinguished from the best, and whether
// the winner is better than the default in the session's objective. If it is uncertain whether another configuration is
// faster, the default wins. Pure functions.
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
  // Of the finalists in tie_set that are within 0.2 % of the best and proven better than the default, the winner is the
  // first by these criteria: no library calls, fewest registers, least shared memory, fewest threads, order of the
  // params' values. A repeated sweep therefore picks the same winner. If tie_set contains the default, the default
  // wins.
  std::size_t winner = 0;           // index into the finalists
  std::vector<std::size_t> tie_set; // the best, and the finalists that cannot be distinguished from it at 95 %
  // The median of the winner's samples, as measured. The interval contains, with 95 % probability, the time that
  // another process measures: a new sample, at the clock of the rounds or one step away.
  double median_us = 0, ci_low_us = 0, ci_high_us = 0;
  double default_us = 0;  // the default's time, converted to the winner's clock
  double p_value = 1;     // p-value of "the winner is not better than the default"
  bool certified = false; // whether there were enough rounds to decide
  std::string outcome;
};

// The minimum number of rounds or readings to certify: the signed-rank test cannot reach 95 % with fewer.
inline constexpr std::size_t kMinRounds = 5;

// Marks a finalist as settled if it was slower than the fastest in each of at least kMinRounds rounds, by more than the
// spread between rounds.
void settle_losers(std::vector<Finalist>& finalists);

// Returns the finalist's time in us, converted to the winner's clock so that it is comparable with the winner's median
// even if they ran in different rounds.
double beside_winner_us(const Finalist& finalist, const Finalist& winner);

// Returns the value of the objective from the medians so far; energy is 0 without a reading.
double objective_of(const Finalist& finalist, Objective objective);

// Returns nullopt if all finalists failed. For the energy objectives, only finalists with readings of every round are
// compared. `sm_clock_mhz`: the clock during the rounds; 0: not known.
std::optional<Decision> decide(std::span<const Finalist> finalists, Objective objective = Objective::time,
                               double sm_clock_mhz = 0);

} // namespace warptune
