// The buffers of a problem that do not depend on the configuration, so that the reference and all candidates share
// them. Only plans them; allocates nothing.
#pragma once

#include "jit/template_store.h"
#include "plan/plan.h"

#include <vector>

namespace warptune {

// Returns the inputs, outputs and inouts with the kernel's own dtypes, in the order of the spec.
Result<std::vector<BufferPlan>> plan_problem_buffers(const Kernel& kernel, const Problem& problem,
                                                     const DeviceInfo& device);

} // namespace warptune
