// Checks whether the arguments of launches match the parameters of their kernels. With too few arguments, the driver
// would read beyond them without noticing.
#pragma once

#include "jit/compiler.h"
#include "plan/plan.h"

#include <optional>
#include <string>

namespace warptune {

// Returns a sentence for the first launch whose arguments do not match its kernel's parameters in number or size, or
// that mixes up floating-point numbers and integers. Types come from the kernel's mangled name, so for extern "C"
// kernels they are not compared. Kernels whose cubin does not list its parameters are skipped. `is_built`: another
// compiler made the cubin, and may have dropped parameters at the end.
std::optional<std::string> why_arguments_do_not_fit(const LaunchPlan& plan, const Cubin& cubin, bool is_built = false);

} // namespace warptune
