// Runs one configuration on a device: compiles or loads it, launches, verifies and times it, and reads counters and
// instruction samples if requested. `warptune run` and `warptune profile` use this code. The steps are the steps of a
// trial (tuner/session.h), without a search and without a database.
#pragma once

#include "core/device.h"
#include "core/pc_samples.h"
#include "core/result.h"
#include "core/trial.h"
#include "jit/builders.h"
#include "predict/roofline.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

struct RunReport {
  DeviceInfo device;
  Verdict verdict;
  Timing timing; // empty if the verdict is wrong, because a wrong kernel is not timed
  KernelResources resources;
  CostEstimate cost; // from the spec's formulas
  RooflinePoint roofline;
  std::optional<Profile> profile;   // nullopt: not requested, or not available (no_counters)
  std::string no_counters;          // why counters were requested but are not available
  std::optional<PcSamples> samples; // nullopt: not requested, or not available (no_samples)
  std::string no_samples;           // why samples were requested but are not available
  std::string cubin_hash;           // cache key of the cubin that ran; empty: there were only library calls
};

struct RunOptions {
  std::string device = "auto";
  std::filesystem::path cache; // the cubin cache; empty: the standard one
  std::string metrics;         // counters to read after the timing: a list of metrics and sets of metrics; empty: none
  bool cold_l2 = true;
  Builders builders = {};                       // builders that may run or, for a stored result, that built it
  std::filesystem::path worker_executable = {}; // empty: the running program
  bool samples = false; // whether to compile with line information and sample instructions at the end
};

// Runs the kernel in a worker process, so a fault of the kernel is an error (no_candidate) and not a crash of this
// process. A wrong result is not an error; the report's verdict shows it.
Result<RunReport> run_selected(const Kernel& kernel, const Problem& problem, const Config& config,
                               const RunOptions& options);

// Compiles the kernel with line information and launches it once in a worker process, on buffers without guard zones.
// For tools that examine the launch, such as compute-sanitizer. Measures and compares nothing. Error (no_candidate):
// the kernel does not compile or run.
Result<void> run_bare(const Kernel& kernel, const Problem& problem, const Config& config, const RunOptions& options);

} // namespace warptune
