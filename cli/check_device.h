// The part of `check` that needs a GPU: chooses configurations of each problem and examines them.
#pragma once

#include "cli/check_options.h"
#include "cli/check_report.h"

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warptune::cli {

// Returns the configurations to run: the defaults, then `best` (nullopt: there is none), then at most `more` others of
// the sample. From the sample, only configurations that can be launched are taken.
std::vector<Config> configs_to_run(const CheckedProblem& checked, const std::optional<Config>& best, std::size_t more);

// Returns a note if no configuration of the report can run on this GPU; otherwise an empty text.
std::string why_nothing_ran(const CheckReport& report, const DeviceInfo& device);

// Returns the GPU on which to examine configurations; nullopt: `device` is "none", or it is "auto" and there is no GPU.
// Error (no_device): `device` names a GPU that does not exist. Call this function before anything is compiled.
Result<std::optional<DeviceInfo>> find_gpu_to_check(const std::string& device);

// Examines the problems that were compiled for the GPU's architecture, and adds findings and notes to the report. If
// there is no GPU, adds a note, unless the user chose the device "none". `gpu`: from find_gpu_to_check.
Result<void> check_on_gpu(const CheckArgs& options, const std::optional<DeviceInfo>& gpu, CheckReport& report,
                          const std::atomic<bool>& stop);

} // namespace warptune::cli
