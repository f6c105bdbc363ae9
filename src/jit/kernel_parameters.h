// Checks whether the arguments of launches match the parameters of their kernels. The driver does not check this: with
// too few arguments it would read beyond them.
#pragma once

#include "jit/compiler.h"
#include "plan/plan.h"

#include <optional>
#include <string>

namespace warptune {

// Returns a sentence about the first launch whose arguments do not match its kernel's parameters: a different number or
// size of arguments, or floating-point numbers in place of integers. Types are known from the kernel's mangled name, so
// those of extern "C" kernels are not compared. Kernels whose cubin does not list their parameters are skipped.
// `is_built`: a compiler other than NVRTC made the cubin, and may have dropped parameters at the end.
std::optional<std::string> why_arguments_do_not_fit(const LaunchPlan& plan, const Cubin& cubin, bool is_built = false);

} // namespace warptune
