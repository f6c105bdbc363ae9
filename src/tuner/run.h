// Runs one configuration on a device: compiles or loads, launches, verifies and times it, and reads counters and
// instruction samples if requested. Implements `warptune run` and `warptune profile`. The steps are those of a trial
// (tuner/session.h), without a search or a database.
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
  Timing timing; // empty if the verdict is wrong: a wrong kernel is never timed
  KernelResources resources;
  CostEstimate cost; // estimated from the spec's formulas
  RooflinePoint roofline;
  std::optional<Profile> profile;   // nullopt: not requested, or not available (see no_counters)
  std::string no_counters;          // why there are no counters although they were requested
  std::optional<PcSamples> samples; // nullopt: not requested, or not available (see no_samples)
  std::string no_samples;           // why there are no samples although they were requested
  std::string cubin_hash;           // the cached cubin that ran; empty: only library calls
};

struct RunOptions {
  std::string device = "auto";
  std::filesystem::path cache; // the cubin cache; empty: the standard place
  std::string metrics;         // counters to read after the timing: a list of sets and metrics; empty: none
  bool cold_l2 = true;
  Builders builders = {};                       // builders that may run; for a stored result, those that built it
  std::filesystem::path worker_executable = {}; // empty: this program
  bool samples = false;                         // compile with line information, and sample instructions at the end
};

// Runs the kernel in a worker process, so a fault of the kernel is an error (no_candidate) and not a crash. A wrong
// result is not an error; the report's verdict shows it.
Result<RunReport> run_selected(const Kernel& kernel, const Problem& problem, const Config& config,
                               const RunOptions& options);

// Compiles the kernel with line information and launches it once in a worker process, on buffers of exactly its sizes,
// for tools that examine the launch, such as compute-sanitizer. Measures and compares nothing. Error (no_candidate): it
// does not compile or run.
Result<void> run_bare(const Kernel& kernel, const Problem& problem, const Config& config, const RunOptions& options);

} // namespace warptune
