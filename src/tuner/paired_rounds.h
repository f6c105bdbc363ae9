// Plans the rounds of the finals on a device whose clock changes: chooses the order of the finalists, and makes their
// samples comparable. One finalist is the reference. The reference runs first, last, and between the other finalists,
// so that each of them runs after the same kernel. The reference's times show how the device changes between rounds and
// within a round. A sample is never taken directly after a run of the same kernel, because that kernel's instructions
// would still be in the caches. Pure: depends on no device.
#pragma once

#include "tuner/finalist.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace warptune {

struct RoundPlan {
  std::vector<std::size_t> places; // indices of finalists, in running order
  std::vector<std::size_t>
      references; // indices into `places`: the reference's samples; places before the first index are warm-up
  std::vector<float> idle_us; // idle time after each place, so that all places take the same time
};

// Orders `running` for a round (Williams 1949). Over n rounds of n finalists (2n rounds if n is odd), every finalist is
// in every place equally often, and follows every other finalist equally often.
std::vector<std::size_t> balanced_order(std::vector<std::size_t> running, std::size_t round);

// Returns the default, or the fastest finalist if the default is much slower. nullopt if fewer than two finalists are
// left.
std::optional<std::size_t> choose_reference(std::span<const Finalist> finalists);

// A reference runs between all finalists. If the round would then take too long, the reference runs only at the
// beginning and at the end. `warm_up`: first runs the reference for a while, so that a device at its power cap reaches
// its sustainable clock before the samples.
RoundPlan plan_round(std::span<const Finalist> finalists, std::optional<std::size_t> reference, std::size_t round,
                     bool warm_up = false);

// Collects rounds that all have the same reference, or all have no reference.
class PairedRounds {
 public:
  // `samples_us`: one per place. Divides each finalist's sample by the reference's time at that place, which is
  // estimated from the reference's samples in the same round. For the reference itself, uses the median of its samples.
  void count(std::vector<Finalist>& finalists, const RoundPlan& plan, std::span<const float> samples_us);

 private:
  std::vector<double> log_levels_; // per round: natural logarithm of the reference's time
  double log_scale_ = 0;           // the median of log_levels_; the scale of Finalist::level_us
};

} // namespace warptune
