// Runs `warptune run KERNEL --once` under compute-sanitizer, and turns what the tool prints into findings.
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

// The tools of compute-sanitizer, in the order in which `check` runs them, with the kinds of their findings.
struct SanitizerTool {
  std::string_view name; // "racecheck"
  std::string_view kind; // "race"
  std::string_view remedy;
  std::vector<std::string_view> options = {}; // more words of its command line
  bool watches_all = false; // every kernel of the program, since others write what the candidate reads
};
const std::vector<SanitizerTool>& sanitizer_tools();

// $WARPTUNE_COMPUTE_SANITIZER, otherwise bin/ and compute-sanitizer/ of the toolkits in CUDA_HOME, CUDA_PATH and
// /usr/local/cuda, otherwise $PATH. Error (no_device): it is in none of these places.
Result<std::filesystem::path> find_sanitizer();

struct SanitizerRun {
  std::filesystem::path sanitizer;
  std::vector<std::string> command; // the program to examine and its arguments: "warptune run ..."
  std::vector<std::string> kernels; // the functions to examine, without template arguments; empty: all
  double timeout_s = 0;             // 0: none
  const std::atomic<bool>* stop = nullptr;
};

// Errors of a tool that watches all kernels are left out if they are not in `run.kernels`. Error (no_candidate): the
// tool did not run to its end, or it reported nothing of a program that failed; the message says what was printed last.
Result<SanitizerReport> run_sanitizer(const SanitizerTool& tool, const SanitizerRun& run);

// One finding for each error of the report, at the innermost place that is in the kernel's sources.
std::vector<Finding> sanitizer_findings(const SanitizerTool& tool, const SanitizerReport& report, const Kernel& kernel,
                                        const Problem& problem, const Config& config);

} // namespace warptune
