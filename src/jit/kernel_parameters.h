// Whether the arguments of launches fit the parameters of their kernels. A launch with too few arguments would read
// beyond them, and the driver cannot detect it.
#pragma once

#include "jit/compiler.h"
#include "plan/plan.h"

#include <optional>
#include <string>

namespace warptune {

// A sentence for the first launch whose arguments do not fit the parameters of its kernel: by number or size, or a
// floating-point number for an integer or the other way around. Types come from the kernel's mangled name, so those of
// extern "C" kernels are not compared. Kernels whose cubin does not list its parameters are left out. `is_built`: by
// another compiler, which may have dropped parameters at the end.
std::optional<std::string> why_arguments_do_not_fit(const LaunchPlan& plan, const Cubin& cubin, bool is_built = false);

} // namespace warptune
