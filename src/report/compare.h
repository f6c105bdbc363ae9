// Two sets of results side by side: what became faster or slower, whether that can be chance, and what else changed.
// Pure but for load_outcomes.
#pragma once

#include "core/result.h"
#include "db/reader.h"

#include <string>
#include <vector>

namespace warptune::report {

// A result as it is compared.
struct Outcome {
  std::string kernel, problem, device; // what it is of
  RowId session = 0;
  std::string config, source_hash, driver, compiler, version;
  double median_us = 0, ci_low_us = 0, ci_high_us = 0; // of the final rounds
  std::vector<float> samples_us;                       // of the winner's trial
  double sm_clock_mhz = 0;                             // while it was timed; 0: not known
  bool cold_l2 = true, certified = false;
};

// Of each kernel, problem and device the result in use; `session` > 0: that one's alone. Errors: the session has none.
Result<std::vector<Outcome>> load_outcomes(const Reader& reader, const std::string& kernel, RowId session);

enum class Change { faster, slower, same };
std::string change_name(Change change);

struct ComparedRow {
  Outcome a, b;
  double ratio = 1, ratio_low = 1, ratio_high = 1; // time of b over time of a, with its 95 % interval
  double p_value = 1;                              // that they do not differ, adjusted for all rows (Holm)
  bool by_samples = false;                         // Mann-Whitney on the samples; else from the two intervals
  Change change = Change::same;
  std::vector<std::string> differences; // "config VEC=4 -> VEC=8", "driver 580.1 -> 590.2", ...
};

struct Comparison {
  std::vector<ComparedRow> rows; // the largest effect first
  std::vector<Outcome> only_a, only_b;
};

// Changed: p below 5 %, the interval without 1, and an effect beyond `kSmallestEffect`. That one is chosen, about twice
// what repeated sweeps' winners lay apart (0.52 %, docs/benchmarks.md): what is tuned twice should read as the same.
inline constexpr double kSmallestEffect = 0.01;
Comparison compare_outcomes(const std::vector<Outcome>& a, const std::vector<Outcome>& b);

// "12 results in both: 2 faster, 1 slower, 9 the same; slowest by comparison: softmax ..., 1.08x the time."
std::string summary_sentence(const Comparison& comparison);

} // namespace warptune::report
