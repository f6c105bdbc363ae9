// Runs `warptune run KERNEL --once` under compute-sanitizer, and converts the tool's output to findings.
#pragma once

#include "core/finding.h"
#include "core/result.h"
#include "jit/template_store.h"
#include "spec/problem.h"
#include "tuner/sanitizer_report.h"

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// The tools of compute-sanitizer in the order in which `check` runs them, each with the kind of its findings.
struct SanitizerTool {
  std::string_view name; // "racecheck"
  std::string_view kind; // "race"
  std::string_view remedy;
  std::vector<std::string_view> options = {}; // additional arguments for the tool
  bool watches_all = false; // whether to check all kernels, because other kernels write the candidate's inputs
};
const std::vector<SanitizerTool>& sanitizer_tools();

// Returns the path of compute-sanitizer: $WARPTUNE_COMPUTE_SANITIZER if it is set. Otherwise searches bin/ and
// compute-sanitizer/ of the toolkits in CUDA_HOME, CUDA_PATH and /usr/local/cuda, then $PATH. Error (no_device): not
// found.
Result<std::filesystem::path> find_sanitizer();

struct SanitizerRun {
  std::filesystem::path sanitizer;
  std::vector<std::string> command; // the program to examine, and its arguments: "warptune run ..."
  std::vector<std::string> kernels; // functions to examine, without template arguments; empty: all
  double timeout_s = 0;             // 0: no limit
  const std::atomic<bool>* stop = nullptr;
};

// If the tool checks all kernels, errors outside of `run.kernels` are left out. Error (no_candidate): the tool did not
// finish, or it reported nothing although the program failed. The message quotes the last output.
Result<SanitizerReport> run_sanitizer(const SanitizerTool& tool, const SanitizerRun& run);

// Returns one finding per reported error, at the innermost place that is in the kernel's sources.
std::vector<Finding> sanitizer_findings(const SanitizerTool& tool, const SanitizerReport& report, const Kernel& kernel,
                                        const Problem& problem, const Config& config);

} // namespace warptune
