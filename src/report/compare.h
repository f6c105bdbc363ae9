// Compares two sets of results: which results became faster or slower, whether chance can explain the change, and what
// else changed. All functions except load_outcomes are pure.
#pragma once

#include "core/result.h"
#include "db/reader.h"

#include <string>
#include <vector>

namespace warptune::report {

// One result that takes part in a comparison.
struct Outcome {
  std::string kernel, problem, device;
  RowId session = 0;
  std::string config, source_hash, driver, compiler, version;
  double median_us = 0, ci_low_us = 0, ci_high_us = 0; // times from the rounds of the finals
  std::vector<float> samples_us;                       // samples of the winner's trial
  double sm_clock_mhz = 0;                             // during the timing; 0: not known
  bool cold_l2 = true, certified = false;
};

// Returns for each kernel, problem and device the result that is in use. If `session` > 0, returns only that session's
// result. Error: the session has no result.
Result<std::vector<Outcome>> load_outcomes(const Reader& reader, const std::string& kernel, RowId session);

enum class Change { faster, slower, same };
std::string change_name(Change change);

struct ComparedRow {
  Outcome a, b;
  double ratio = 1, ratio_low = 1, ratio_high = 1; // b's time divided by a's, with its 95 % interval
  double p_value = 1;                              // p-value of the hypothesis that a and b are equal, adjusted (Holm)
  bool by_samples = false; // true: from a Mann-Whitney test on the samples; false: from the two intervals
  Change change = Change::same;
  std::vector<std::string> differences; // "config VEC=4 -> VEC=8", "driver 580.1 -> 590.2", ...
};

struct Comparison {
  std::vector<ComparedRow> rows; // largest effect first
  std::vector<Outcome> only_a, only_b;
};

// A result changed if the p-value is below 5 %, the interval does not contain 1, and the effect is above this value.
// This value is about twice the difference between the winners of repeated sweeps (0.52 %, docs/benchmarks.md), so
// tuning a kernel twice does not count as a change.
inline constexpr double kSmallestEffect = 0.01;
Comparison compare_outcomes(const std::vector<Outcome>& a, const std::vector<Outcome>& b);

// Returns "12 results in both: 2 faster, 1 slower, 9 the same; largest slowdown: softmax ..., 1.08x."
std::string summary_sentence(const Comparison& comparison);

} // namespace warptune::report
