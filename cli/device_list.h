// "--devices": several devices in one word.
#pragma once

#include "core/result.h"
#include "tuner/sweep.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

// "all" (every CUDA device of this machine), "auto", or names separated by commas: "cuda:0,1" is cuda:0 and cuda:1. A
// CUDA device may be listed once, a recording several times. Does not check whether a device can be used; the first use
// does. Errors: an empty name, an unknown device, a duplicate; kind no_device for "all" without a device.
Result<std::vector<std::string>> parse_devices(const std::string& text);

// Error (kind bad_input): a device is "replay:PATH", and PATH has no recording of some problem, or one with the other
// L2 state; the error names the missing problems. `is_shipped`: the jobs belong to a shipped sweep, which the user does
// not edit.
Result<void> check_recordings(const std::vector<std::string>& devices, const std::vector<SweepJob>& jobs,
                              bool is_shipped);

// Error (kind bad_input): the device is a recording, and its times were measured with the other L2 state (cold instead
// of warm, or the reverse), so none of them can be used. `option` is how the caller's user asks for warm times.
Result<void> check_recorded_l2(const std::string& device, const std::string& kernel, const std::string& problem,
                               bool cold_l2, std::string_view option = "--warm-l2");

} // namespace warptune::cli
