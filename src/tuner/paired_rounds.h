// Rounds of the finals on a device whose clock moves: in which order the finalists run, and how their samples are made
// comparable. The reference, one of them, runs at the beginning, at the end and between the others, so each follows the
// same kernel; and its own times tell what the device did in each round and along it. No sample follows a run of its
// own kernel, which would find its instructions in the caches. Pure: knows no device.
#pragma once

#include "tuner/finalist.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace warptune {

struct RoundPlan {
  std::vector<std::size_t> places;     // into the finalists, in the order in which they run
  std::vector<std::size_t> references; // those of the reference that count; what runs before the first only warms
  std::vector<float> idle_us;          // after each place: what the finalist there is faster than the slowest
};

// `running` in an order such that in as many rounds as there are finalists (twice as many, where that is odd) each
// takes every place and follows every other equally often (Williams 1949).
std::vector<std::size_t> balanced_order(std::vector<std::size_t> running, std::size_t round);

// The default, unless it is far slower than the fastest; then that. Nothing: there are no two finalists to compare.
std::optional<std::size_t> choose_reference(std::span<const Finalist> finalists);

// With a reference: between all finalists, or where that takes long, at the beginning and the end only. `warm_up`: it
// runs for a while before, so that a device at its power cap has the clock that the cap allows when the round begins.
RoundPlan plan_round(std::span<const Finalist> finalists, std::optional<std::size_t> reference, std::size_t round,
                     bool warm_up = false);

// Counts rounds of one reference, or of none.
class PairedRounds {
 public:
  // One sample per place. Each finalist's is divided by the reference's time at its place, which the samples of the
  // reference tell that were taken in the same round; of the reference itself it is their median.
  void count(std::vector<Finalist>& finalists, const RoundPlan& plan, std::span<const float> samples_us);

 private:
  std::vector<double> log_levels_; // of the reference, by round
  double log_scale_ = 0;           // their median: what Finalist::level_us is stated at
};

} // namespace warptune
