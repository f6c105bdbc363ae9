// The smallest set of configurations that covers all shapes. Pure: shapes and configurations are only numbers here.
#pragma once

#include <cstddef>
#include <vector>

namespace warptune {

struct CoverProblem {
  std::size_t configs = 0;
  std::vector<std::vector<std::size_t>> covered_by; // for each shape, the configurations that cover it; may be empty
  std::vector<double> cost; // the cost of each configuration, which decides between sets of equal size: lower is better
  std::vector<std::size_t> given; // always in the set
};

struct Cover {
  std::vector<std::size_t> configs; // the chosen configurations, ascending, including the given ones
  bool is_exact = true;             // false: greedy, so a smaller set may exist
};

// Shapes that no configuration covers stay uncovered. The search is exact (branch and bound) for up to `max_work` tests
// of a configuration against a shape; the default takes about a second. Beyond that it is greedy (most shapes first).
// Deterministic.
Cover find_cover(const CoverProblem& problem, std::size_t max_work = 200'000'000);

} // namespace warptune
