// Compares two sets of results: which became faster or slower, whether that can be chance, and what else changed. All
// functions except load_outcomes are pure.
#pragma once

#include "core/result.h"
#include "db/reader.h"

#include <string>
#include <vector>

namespace warptune::report {

// A result to compare.
struct Outcome {
  std::string kernel, problem, device; // the result's kernel, problem and device
  RowId session = 0;
  std::string config, source_hash, driver, compiler, version;
  double median_us = 0, ci_low_us = 0, ci_high_us = 0; // from the final rounds
  std::vector<float> samples_us;                       // the winner's trial
  double sm_clock_mhz = 0;                             // the clock during the timing; 0: not known
  bool cold_l2 = true, certified = false;
};

// Returns the result in use for each kernel, problem and device; if `session` > 0, only that session's result. Error:
// the session has no result.
Result<std::vector<Outcome>> load_outcomes(const Reader& reader, const std::string& kernel, RowId session);

enum class Change { faster, slower, same };
std::string change_name(Change change);

struct ComparedRow {
  Outcome a, b;
  double ratio = 1, ratio_low = 1, ratio_high = 1; // time of b over time of a, with its 95 % interval
  double p_value = 1;                              // p-value of the hypothesis that they are equal, adjusted (Holm)
  bool by_samples = false; // by a Mann-Whitney test on the samples, otherwise from the two intervals
  Change change = Change::same;
  std::vector<std::string> differences; // "config VEC=4 -> VEC=8", "driver 580.1 -> 590.2", ...
};

struct Comparison {
  std::vector<ComparedRow> rows; // the largest effect first
  std::vector<Outcome> only_a, only_b;
};

// A result changed if p is below 5 %, the interval excludes 1, and the effect exceeds `kSmallestEffect`. The value is
// about twice the difference between the winners of repeated sweeps (0.52 %, docs/benchmarks.md), so that a kernel
// tuned twice counts as the same.
inline constexpr double kSmallestEffect = 0.01;
Comparison compare_outcomes(const std::vector<Outcome>& a, const std::vector<Outcome>& b);

// "12 results in both: 2 faster, 1 slower, 9 the same; largest slowdown: softmax ..., 1.08x."
std::string summary_sentence(const Comparison& comparison);

} // namespace warptune::report
