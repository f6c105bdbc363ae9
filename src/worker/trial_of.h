// The one place where a trial begins: what compiling says of a configuration. The process that evaluates it adds what
// the device says (cuda/cuda_backend.cpp); a candidate that does not get so far ends with what is here.
#pragma once

#include "worker/backend.h"

#include <string>

namespace warptune {

// One whose compilation failed ends with its status and evidence.
Trial trial_of(const Config& config, const Compiled& compiled);

// One that compiled and could not be evaluated.
Trial trial_of(const Config& config, const Compiled& compiled, TrialStatus status, std::string evidence);

// Of a trial that a worker returns, what the coordinator knows better: a replayed one may come from a kernel with
// another order of parameters and was compiled elsewhere. Its resources count where it has some.
void put_compiled(Trial& trial, const Config& config, const Compiled& compiled);

} // namespace warptune
