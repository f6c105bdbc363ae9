// "--devices": several devices in one word.
#pragma once

#include "core/result.h"
#include "tuner/sweep.h"

#include <string>
#include <vector>

namespace warptune::cli {

// "all" (every CUDA device of this machine), "auto", or names with commas between them: "cuda:0,1" is cuda:0 and
// cuda:1. A CUDA device may stand there once, a recording several times. Whether they can be used shows when they are.
// Errors: an empty name, one that is no device's, one twice; kind no_device for "all" where there is none.
Result<std::vector<std::string>> parse_devices(const std::string& text);

// Error (kind bad_input): one of them is "replay:PATH", and PATH holds no recording of a problem; which ones is said.
// `is_shipped`: the jobs are those of a shipped sweep, which the user does not edit.
Result<void> check_recordings(const std::vector<std::string>& devices, const std::vector<SweepJob>& jobs,
                              bool is_shipped);

// Error (kind bad_input): the device is a recording whose kernel was timed in the other state of the L2, so that none
// of its times counts.
Result<void> check_recorded_l2(const std::string& device, const std::string& kernel, const std::string& problem,
                               bool cold_l2);

} // namespace warptune::cli
