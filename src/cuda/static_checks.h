// The part of a trial that needs no device. Compiles through the cache, and compares the compiler's figures with the
// device's limits, so that a configuration that cannot run is never launched.
#pragma once

#include "jit/cubin_cache.h"
#include "jit/prescreen.h"
#include "plan/compile_request.h"
#include "worker/backend.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune {

// Returns a sentence about the first launch whose block does not fit on a multiprocessor, because of shared memory or
// registers. `resources`: in the order of plan.name_expressions; 0 registers: not known, so not checked.
std::optional<std::string> why_not_launchable(const LaunchPlan& plan, const std::vector<KernelResources>& resources,
                                              const DeviceLimits& limits);

// Status invalid: the device cannot run the configuration, or a block exceeds its kernel's __launch_bounds__. Status
// compile_failed: the configuration does not compile, or the arguments of a launch do not fit its kernel. no_verdict is
// set if a build command cannot run here. `prescreen` must belong to the plan's kernel and problem.
Compiled compile_checked(const CubinCache& cache, Prescreen& prescreen, const LaunchPlan& plan,
                         const CompileRequest& request, const DeviceLimits& limits, double timeout_s);

// Shortens a log to the length that is stored per trial.
std::string shorten_evidence(std::string text);

} // namespace warptune
