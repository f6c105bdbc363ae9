// The smallest set of configurations that covers all shapes. Pure: knows shapes and configurations as numbers only.
#pragma once

#include <cstddef>
#include <vector>

namespace warptune {

struct CoverProblem {
  std::size_t configs = 0;
  std::vector<std::vector<std::size_t>> covered_by; // per shape the configurations that cover it; empty: none does
  std::vector<double> cost;       // per configuration, to choose among sets of one size: the less the better
  std::vector<std::size_t> given; // in the set in any case
};

struct Cover {
  std::vector<std::size_t> configs; // rising, the given ones included
  bool is_exact = true;             // false: greedy, so a smaller set may exist
};

// Shapes that nothing covers are left uncovered. Exact by branch and bound as long as that takes at most `max_work`
// looks at whether a configuration covers a shape (the default: about a second), greedy (most shapes first) beyond. The
// same input gives the same set.
Cover find_cover(const CoverProblem& problem, std::size_t max_work = 200'000'000);

} // namespace warptune
