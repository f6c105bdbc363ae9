// The launches of a configuration as numbers that explain times: grid, block, shared memory, registers, occupancy and
// waves. Pure: from the plan and the compiler's figures.
#pragma once

#include "core/trial.h"
#include "plan/plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warptune::report {

struct LaunchFacts {
  std::string kernel; // "softmax_kernel<float, 4>"
  Dim3 grid, block, cluster;
  std::int64_t shared_bytes = 0;  // per block, dynamic; with the static part if it is known
  std::int64_t registers = 0;     // per thread; 0: not known
  std::int64_t blocks_per_sm = 0; // resident at once; 0: not known
  double occupancy = 0;           // resident warps, as a share of the maximum; 0: not known
  double waves = 0;               // blocks of the grid over the blocks that the device holds at once; 0: not known
};

// `resources`: those of the trial. They belong to the kernel with the most registers, so with several kernels, the
// registers, the occupancy and the waves of each are not known.
std::vector<LaunchFacts> launch_facts(const LaunchPlan& plan, const KernelResources& resources,
                                      const DeviceLimits& limits);

} // namespace warptune::report
