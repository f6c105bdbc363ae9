// The launches of a configuration as numbers that explain its time: grid, block, shared memory, registers, occupancy
// and waves. Pure: uses the plan and the compiler's figures.
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
  std::int64_t shared_bytes = 0;  // per block: dynamic, plus static if known
  std::int64_t registers = 0;     // per thread; 0: not known
  std::int64_t blocks_per_sm = 0; // blocks resident per SM; 0: not known
  double occupancy = 0;           // resident warps, as a share of the maximum; 0: not known
  double waves = 0;               // blocks of the grid divided by the blocks resident on the device; 0: not known
};

// `resources`: those of the trial, which belong to the kernel with the most registers. If there are several kernels,
// the registers, occupancy and waves of each are therefore not known.
std::vector<LaunchFacts> launch_facts(const LaunchPlan& plan, const KernelResources& resources,
                                      const DeviceLimits& limits);

} // namespace warptune::report
