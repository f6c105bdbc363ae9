// Whether launches give kernels what they take: a launch with too few arguments would read beyond them, and a driver
// cannot tell.
#pragma once

#include "jit/compiler.h"
#include "plan/plan.h"

#include <optional>
#include <string>

namespace warptune {

// A sentence for the first launch whose arguments are not the parameters of its kernel by number or size. Kernels whose
// cubin does not tell are left out. `is_built`: by another compiler, which may have dropped parameters at the end.
std::optional<std::string> why_arguments_do_not_fit(const LaunchPlan& plan, const Cubin& cubin, bool is_built = false);

} // namespace warptune
