// Reads --devices, which names several devices in one word.
#pragma once

#include "core/result.h"
#include "tuner/sweep.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

// Parses "all" (every CUDA device of this machine), "auto", or names separated by commas: "cuda:0,1" is cuda:0 and
// cuda:1. A CUDA device may occur once, a recording several times. Does not check whether a device can be used. Errors:
// an empty name, an unknown device, a repeated device; no_device if there is no device for "all".
Result<std::vector<std::string>> parse_devices(const std::string& text);

// If all devices are recordings, removes the jobs whose problem is not recorded, and adds a note that counts these
// problems. Error (bad_input): a recording lacks all problems, or it lacks some and another device is a GPU; the
// message names problems; or the recording of a job cannot serve it (check_recording). `is_shipped`: the jobs are those
// of a shipped sweep, which users do not edit.
Result<void> keep_recorded(const std::vector<std::string>& devices, bool is_shipped, std::vector<SweepJob>& jobs,
                           std::vector<std::string>& notes);

// Error (no_candidate): the problem is not recorded, and no configuration is valid for it. Other problems that are not
// recorded are left to the session. Error (bad_input): the device is a recording from which this session cannot choose
// a winner: its times were measured with the other L2 state (warm instead of cold, or the reverse), or the objective
// needs energy and the recording has none. `warm_option`: the option with which this command uses warm times; empty:
// users cannot change it.
Result<void> check_recording(const std::string& device, const KernelSpec& spec, const Problem& of_session,
                             const SessionOptions& session, std::string_view warm_option = "--warm-l2");

} // namespace warptune::cli
