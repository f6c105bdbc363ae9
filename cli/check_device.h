// The part of `check` that needs a GPU: it chooses configurations of each problem and examines them.
#pragma once

#include "cli/check_options.h"
#include "cli/check_report.h"

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warptune::cli {

// The configurations to run: the defaults, then `best` (nullopt: none), then at most `more` others of the sample. Only
// configurations that can be launched are taken from the sample.
std::vector<Config> configs_to_run(const CheckedProblem& checked, const std::optional<Config>& best, std::size_t more);

// A note, if no configuration of the report can run on this GPU.
std::string why_nothing_ran(const CheckReport& report, const DeviceInfo& device);

// Examines the problems of the GPU's architecture, and adds findings and notes to the report. Without a GPU it adds a
// note, unless the options name one. Error (no_device): the GPU that the options name does not exist.
Result<void> check_on_gpu(const CheckArgs& options, CheckReport& report, const std::atomic<bool>& stop);

} // namespace warptune::cli
