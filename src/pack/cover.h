// The smallest set of configurations that covers all shapes. Pure: knows shapes and configurations as numbers only.
#pragma once

#include <cstddef>
#include <vector>

namespace warptune {

struct CoverProblem {
  std::size_t configs = 0;
  std::vector<std::vector<std::size_t>> covered_by; // per shape the configurations that cover it; may be empty
  std::vector<double> cost;       // per configuration, to choose among sets of one size: lower is better
  std::vector<std::size_t> given; // always in the set
};

struct Cover {
  std::vector<std::size_t> configs; // ascending, with the given ones
  bool is_exact = true;             // false: greedy, so a smaller set may exist
};

// Shapes that no configuration covers stay uncovered. The search is exact (branch and bound) for up to `max_work` tests
// of a configuration against a shape; the default takes about a second. Beyond that it is greedy (most shapes first).
// The same input gives the same set.
Cover find_cover(const CoverProblem& problem, std::size_t max_work = 200'000'000);

} // namespace warptune
