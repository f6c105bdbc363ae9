// Rounds of the finals on a device whose clock changes: chooses the order of the finalists, and makes their samples
// comparable. One finalist is the reference. It runs at the beginning, at the end and between the others, so that all
// others run after the same kernel. Its times show how the device changed between rounds and within a round. No sample
// is taken directly after a run of the same kernel, which would leave its instructions in the caches. Pure: depends on
// no device.
#pragma once

#include "tuner/finalist.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace warptune {

struct RoundPlan {
  std::vector<std::size_t> places;     // indices into the finalists, in running order
  std::vector<std::size_t> references; // the reference's counted places; all places before the first are warm-up
  std::vector<float> idle_us;          // idle time after each place, so that all finalists take equally long
};

// Reorders `running` for a round (Williams 1949). In n rounds of n finalists (2n if n is odd), each finalist takes
// every place equally often and follows every other equally often.
std::vector<std::size_t> balanced_order(std::vector<std::size_t> running, std::size_t round);

// Returns the default, or the fastest finalist if the default is far slower; nullopt if fewer than two finalists are
// left to compare.
std::optional<std::size_t> choose_reference(std::span<const Finalist> finalists);

// The reference, if given, runs between all finalists, or only at the beginning and the end if the round would take too
// long. `warm_up`: the reference first runs for a while, so that a device at its power cap reaches the clock that the
// cap allows before the round begins.
RoundPlan plan_round(std::span<const Finalist> finalists, std::optional<std::size_t> reference, std::size_t round,
                     bool warm_up = false);

// Collects the rounds that have the same reference, or none.
class PairedRounds {
 public:
  // `samples_us`: one sample per place. Each finalist's sample is divided by the reference's time at that place,
  // estimated from the reference's samples of the same round. The reference's own sample is the median of its samples.
  void count(std::vector<Finalist>& finalists, const RoundPlan& plan, std::span<const float> samples_us);

 private:
  std::vector<double> log_levels_; // natural logarithm of the reference's time in each round
  double log_scale_ = 0;           // the median of these times; the scale of Finalist::level_us
};

} // namespace warptune
