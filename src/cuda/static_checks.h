// The compile half of a trial: what can be said of a configuration without a device. Compiles through the cache, and
// holds what the compiler tells against the device's limits, so that nothing is launched that cannot run.
#pragma once

#include "jit/cubin_cache.h"
#include "jit/prescreen.h"
#include "plan/compile_request.h"
#include "worker/backend.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune {

// A sentence for the first launch of which not one block fits on a multiprocessor: shared memory, registers.
// `resources` in the order of plan.name_expressions; 0 registers: not known, and not counted.
std::optional<std::string> why_not_launchable(const LaunchPlan& plan, const std::vector<KernelResources>& resources,
                                              const DeviceLimits& limits);

// `invalid` with the diagnostic for what the device cannot run; compile_failed also where arguments of a launch do not
// fit its kernel; no_verdict where a build command cannot be run here.
// `prescreen` belongs to the kernel and problem of the plan.
Compiled compile_checked(const CubinCache& cache, Prescreen& prescreen, const LaunchPlan& plan,
                         const CompileRequest& request, const DeviceLimits& limits, double timeout_s);

// Bytes of a log that are worth storing per trial.
std::string shorten_evidence(std::string text);

} // namespace warptune
