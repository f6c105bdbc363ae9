// The attributes of a launch beyond its grid: clusters, cooperative and programmatic launches, large shared memory.
#pragma once

#include "core/result.h"
#include "gpu/driver.h"
#include "plan/plan.h"

#include <vector>

namespace warptune {

std::vector<CUlaunchAttribute> launch_attributes(const KernelLaunch& launch);

// Enables the shared memory and clusters of a function's launches in `plan`. If several launches share a function, it
// gets the largest of their requests. Errors of kind no_candidate: this device cannot run it.
Result<void> prepare_function(const Driver& driver, const LaunchPlan& plan, const KernelLaunch& launch,
                              CUfunction function);

} // namespace warptune
