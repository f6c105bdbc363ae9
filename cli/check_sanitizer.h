// The part of `check` that runs compute-sanitizer: chooses the problem and the command that it examines.
#pragma once

#include "cli/check_options.h"
#include "cli/check_report.h"
#include "tuner/sanitizer.h"

#include <atomic>
#include <string>
#include <vector>

namespace warptune::cli {

// Parses "all", "none" or a list such as "memcheck,racecheck". Error (bad_input): an unknown name.
Result<std::vector<SanitizerTool>> parse_tools(const std::string& text);

// Returns the smallest problem of the suites that has the dtype and flags of `asked` and for which the configuration is
// valid. The problem is small because launches under a tool are slow. If there is no such problem, returns `asked`.
Problem problem_to_watch(const KernelSpec& spec, const Problem& asked, const Config& config, const DeviceInfo& device);

// Returns the command `PROGRAM run KERNEL ... --once`, with absolute paths, so that it works in any working folder.
std::vector<std::string> watched_command(const std::string& program, const CheckArgs& options, const Kernel& kernel,
                                         const Problem& problem, const Config& config);

// Runs the tools on each configuration, and adds findings to the report. If compute-sanitizer is missing, adds a note.
Result<void> sanitize_on_gpu(const CheckArgs& options, const Problem& problem, const std::vector<Config>& configs,
                             const DeviceInfo& device, CheckReport& report, const std::atomic<bool>& stop);

} // namespace warptune::cli
