// Makes a trial from the result of compiling its configuration. Trials are made only here. The process that evaluates
// the trial adds what the device gave (cuda/cuda_backend.cpp). A candidate that is not evaluated keeps this trial.
#pragma once

#include "worker/backend.h"

#include <string>

namespace warptune {

// The trial has the status and diagnostic of the compilation. If the compilation failed, they are final.
Trial trial_of(const Config& config, const Compiled& compiled);

// The trial of a configuration that was compiled but could not be evaluated.
Trial trial_of(const Config& config, const Compiled& compiled, TrialStatus status, std::string evidence);

// Overwrites those parts of a worker's trial for which the coordinator has better data. For example, a replayed trial
// was compiled elsewhere, and may be from a kernel with another order of params. If the worker's trial already has
// resources, they stay.
void put_compiled(Trial& trial, const Config& config, const Compiled& compiled);

} // namespace warptune
