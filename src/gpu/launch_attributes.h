// Launch attributes other than the grid: clusters, cooperative and programmatic launches, large shared memory.
#pragma once

#include "core/result.h"
#include "gpu/driver.h"
#include "plan/plan.h"

#include <vector>

namespace warptune {

std::vector<CUlaunchAttribute> launch_attributes(const KernelLaunch& launch);

// Enables large shared memory and clusters for the kernel of `launch`. If several launches of `plan` use the same
// function, it gets the largest of their requests. Error (no_candidate): this device cannot run the launch.
Result<void> prepare_function(const Driver& driver, const LaunchPlan& plan, const KernelLaunch& launch,
                              CUfunction function);

} // namespace warptune
