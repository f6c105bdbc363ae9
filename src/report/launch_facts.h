// Facts about a configuration's launches that help to explain its time: grid, block, shared memory, registers,
// occupancy and waves. Pure: computed from the plan and the compiler's figures.
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
  std::int64_t shared_bytes = 0;  // per block: dynamic, and also static if known
  std::int64_t registers = 0;     // per thread; 0: not known
  std::int64_t blocks_per_sm = 0; // resident blocks per multiprocessor; 0: not known
  double occupancy = 0;           // resident warps divided by the maximum; 0: not known
  double waves = 0;               // blocks of the grid divided by those that are resident at once; 0: not known
};

// `resources`: from the trial, which stores only the resources of the kernel with the most registers. So if there are
// several kernels, the registers, occupancy and waves of each launch are not known.
std::vector<LaunchFacts> launch_facts(const LaunchPlan& plan, const KernelResources& resources,
                                      const DeviceLimits& limits);

} // namespace warptune::report
