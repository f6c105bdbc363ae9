// The compile half of a trial: checks a configuration without a device. Compiles through the cache and compares the
// compiler's figures with the device's limits, so that a configuration that cannot run is never launched.
#pragma once

#include "jit/cubin_cache.h"
#include "jit/prescreen.h"
#include "plan/compile_request.h"
#include "worker/backend.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune {

// Returns a sentence for the first launch whose blocks do not fit on a multiprocessor, because of shared memory or
// registers. `resources`: in the order of plan.name_expressions; 0 registers: not known, and not checked.
std::optional<std::string> why_not_launchable(const LaunchPlan& plan, const std::vector<KernelResources>& resources,
                                              const DeviceLimits& limits);

// invalid: the device cannot run it, or a block exceeds its kernel's __launch_bounds__; compile_failed: it does not
// compile, or a launch's arguments do not fit its kernel; no_verdict: a build command cannot be run here. `prescreen`
// belongs to the kernel and problem of the plan.
Compiled compile_checked(const CubinCache& cache, Prescreen& prescreen, const LaunchPlan& plan,
                         const CompileRequest& request, const DeviceLimits& limits, double timeout_s);

// Shortens a log to the size that is stored per trial.
std::string shorten_evidence(std::string text);

} // namespace warptune
