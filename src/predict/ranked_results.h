// The tuning results that the rules may use, and the first of them that may be launched.
#pragma once

#include "predict/selection_limits.h"

#include <string>
#include <vector>

namespace warptune {

// Whether the problems differ at most in their sizes, so that a result for one may serve the other.
bool same_kind(const Problem& a, const Problem& b);

struct RankedResult {
  int entry;       // index into SelectionLimits::entries
  double distance; // Selection::distance
};

// These functions return the results for problems of the same kind, without disqualified results. The nearest shape
// comes first. At equal distance, certified rows come first, then newer ones: times of different shapes cannot be
// compared.
std::vector<RankedResult> results_of_problem(const SelectionLimits& limits); // this problem on this device
std::vector<RankedResult> results_of_device(const SelectionLimits& limits);  // any shape on this device
// Any shape on other devices of the same architecture.
std::vector<RankedResult> results_of_other_devices(const SelectionLimits& limits);

// The results that were passed over because they cannot be launched here.
struct SkippedResults {
  int count = 0;
  std::string first_reason;
  std::string text() const; // "; passed over 2 nearer results that cannot be launched here (...)"; empty: none
};

// Returns the first result whose configuration is valid for this problem and device; null: none. Adds the results
// before it to `skipped`.
const RankedResult* first_valid(const SelectionLimits& limits, const std::vector<RankedResult>& ranked,
                                SkippedResults& skipped);

} // namespace warptune
