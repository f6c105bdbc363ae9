// Makes a trial from the result of compiling its configuration; trials begin only here. The process that evaluates a
// trial adds the device's results (cuda/cuda_backend.cpp); a candidate that is not evaluated ends with this trial.
#pragma once

#include "worker/backend.h"

#include <string>

namespace warptune {

// A configuration whose compilation failed ends with the compilation's status and diagnostic.
Trial trial_of(const Config& config, const Compiled& compiled);

// A configuration that compiled and could not be evaluated.
Trial trial_of(const Config& config, const Compiled& compiled, TrialStatus status, std::string evidence);

// Overwrites the parts of a worker's trial for which the coordinator's values are authoritative: a replayed trial may
// come from a kernel with another param order, and was compiled elsewhere. Keeps the trial's own resources, if any.
void put_compiled(Trial& trial, const Config& config, const Compiled& compiled);

} // namespace warptune
