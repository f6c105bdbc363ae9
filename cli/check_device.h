// The part of `check` that needs a GPU: which configurations of a problem are examined there.
#pragma once

#include "cli/check_options.h"
#include "cli/check_report.h"

#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

namespace warptune::cli {

// The configurations to run: those of the sample that can be launched, first the defaults, then `best` (nullopt: none),
// then others, of these at most `more`.
std::vector<Config> configs_to_run(const CheckedProblem& checked, const std::optional<Config>& best, std::size_t more);

// Examines the problems of the GPU's architecture, and adds what is found to the report. Without a GPU it adds a note,
// unless the options name one. Error (no_device): the GPU that the options name is not there.
Result<void> check_on_gpu(const CheckArgs& options, CheckReport& report, const std::atomic<bool>& stop);

} // namespace warptune::cli
