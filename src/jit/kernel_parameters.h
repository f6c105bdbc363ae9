// Whether the arguments of launches fit the parameters of their kernels. With too few arguments, the driver would read
// beyond them, and it cannot detect that.
#pragma once

#include "jit/compiler.h"
#include "plan/plan.h"

#include <optional>
#include <string>

namespace warptune {

// A sentence for the first launch whose arguments do not fit the parameters of its kernel: in number or size, or a
// floating-point number for an integer or the other way round. Types come from the kernel's mangled name, so for extern
// "C" kernels they are not compared. Kernels whose cubin does not list its parameters are skipped. `is_built`: made by
// another compiler, which may have dropped parameters at the end.
std::optional<std::string> why_arguments_do_not_fit(const LaunchPlan& plan, const Cubin& cubin, bool is_built = false);

} // namespace warptune
