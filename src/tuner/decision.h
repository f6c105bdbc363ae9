// The decision of the finals: a winner, the set that cannot be told from it, and whether it is better than the default,
// in time or in what else the session minimises. Never worse: in doubt the default wins. Pure.
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
  std::size_t winner = 0; // into the finalists
  // Not distinguishable from the best at 95 %, itself included. Of those within 0.2 % of it that are proven better
  // than the default the winner is the one with the fewest registers, then the least shared memory, then the fewest
  // threads, then the first in the order of the parameters' values; so a repeated sweep picks it again.
  std::vector<std::size_t> tie_set;
  // Of its samples as they were taken. The interval is where another process finds the time with 95 %: one more sample,
  // at the clock of the rounds or a step beside it.
  double median_us = 0, ci_low_us = 0, ci_high_us = 0;
  double default_us = 0;  // stated at the same clock
  double p_value = 1;     // that the winner is not better than the default
  bool certified = false; // there were rounds enough to tell
  std::string outcome;
};

// The fewest rounds or readings that can certify: the signed-rank test cannot reach 95 % with fewer.
inline constexpr std::size_t kMinRounds = 5;

// A finalist that was slower than the fastest in each of at least kMinRounds rounds, by more than the rounds differ, is
// settled.
void settle_losers(std::vector<Finalist>& finalists);

// The time of a finalist beside the winner's median: at the same clock, whatever rounds it took part in.
double beside_winner_us(const Finalist& finalist, const Finalist& winner);

// Its median so far; energy 0 without a reading.
double objective_of(const Finalist& finalist, Objective objective);

// Nothing when all are out. By energy only those are judged that have readings of every round. `sm_clock_mhz`: of the
// rounds; 0: not known.
std::optional<Decision> decide(std::span<const Finalist> finalists, Objective objective = Objective::time,
                               double sm_clock_mhz = 0);

} // namespace warptune
