// The part of `check` that runs compute-sanitizer: chooses the problem and the command to examine.
#pragma once

#include "cli/check_options.h"
#include "cli/check_report.h"
#include "tuner/sanitizer.h"

#include <atomic>
#include <string>
#include <vector>

namespace warptune::cli {

// "all", "none" or "memcheck,racecheck". Error (bad_input): an unknown name.
Result<std::vector<SanitizerTool>> parse_tools(const std::string& text);

// Launches under a tool are slow, so this returns the smallest problem of the suites for which the configuration is
// valid. It has the dtype and flags of `asked`. Without such a problem, returns `asked`.
Problem problem_to_watch(const KernelSpec& spec, const Problem& asked, const Config& config, const DeviceInfo& device);

// The command `PROGRAM run KERNEL ... --once`, with absolute paths, so that it works in any working folder.
std::vector<std::string> watched_command(const std::string& program, const CheckArgs& options, const Kernel& kernel,
                                         const Problem& problem, const Config& config);

// Runs the tools on each configuration, and adds the findings to the report. Without compute-sanitizer it adds a note.
Result<void> sanitize_on_gpu(const CheckArgs& options, const Problem& problem, const std::vector<Config>& configs,
                             const DeviceInfo& device, CheckReport& report, const std::atomic<bool>& stop);

} // namespace warptune::cli
