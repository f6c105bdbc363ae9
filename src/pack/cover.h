// Finds the smallest set of configurations that covers all shapes. Pure; here shapes and configurations are just
// numbers.
#pragma once

#include <cstddef>
#include <vector>

namespace warptune {

struct CoverProblem {
  std::size_t configs = 0;
  std::vector<std::vector<std::size_t>> covered_by; // for each shape, the configurations that cover it; may be empty
  std::vector<double> cost;       // cost of each configuration; of two sets of equal size, the cheaper one is chosen
  std::vector<std::size_t> given; // configurations that are always in the set
};

struct Cover {
  std::vector<std::size_t> configs; // ascending; includes the given ones
  bool is_exact = true;             // false: found by a greedy search, so a smaller set may exist
};

// Shapes that no configuration covers stay uncovered. An exact search (branch and bound) may test a configuration
// against a shape up to `max_work` times; the default takes about a second. If `max_work` tests are not enough, a
// greedy search repeatedly takes the configuration that covers the largest number of remaining shapes. Deterministic.
Cover find_cover(const CoverProblem& problem, std::size_t max_work = 200'000'000);

} // namespace warptune
