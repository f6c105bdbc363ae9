// Checks of a compiled program that need no device: whether its kernels allow the block sizes of their launches, and
// whether every __constant__ variable is filled.
#pragma once

#include "jit/compiler.h"
#include "plan/plan.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune {

// Returns a sentence for the first launch whose block has more threads than its kernel's __launch_bounds__ allows. The
// driver would refuse such a launch with CUDA_ERROR_INVALID_VALUE.
std::optional<std::string> why_block_exceeds_bounds(const LaunchPlan& plan, const Cubin& cubin);

// Returns the names of the __constant__ variables that are zero in the source and that no symbol of the request fills.
// Names are as in the source ("detail::filter").
std::vector<std::string> unfilled_constants(const Cubin& cubin);

} // namespace warptune
