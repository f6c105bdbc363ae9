// One configuration on a device: compile or load, launch, verify, time, and count if asked to. Behind `warptune run`
// and `warptune profile`; the same steps as a trial (tuner/session.h), without a search and without a database.
#pragma once

#include "core/device.h"
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
  Timing timing; // empty when the verdict is wrong: a wrong kernel is never timed
  KernelResources resources;
  CostEstimate cost; // of the model
  RooflinePoint roofline;
  std::optional<Profile> profile; // nothing: not asked for, or see no_counters
  std::string no_counters;        // why there are none although they were asked for
};

struct RunOptions {
  std::string device = "auto";
  std::filesystem::path cache; // where cubins are kept; empty: the standard place
  std::string metrics;         // counters to read after the timing, a list of sets and metrics; empty: none
  bool cold_l2 = true;
  Builders builders = {}; // what may be built, and by what; of a stored result: what it was built by
  std::filesystem::path worker_executable = {}; // empty: this program
};

// Works in a worker process, so a fault of the kernel is an error here (no_candidate) and not a crash. A wrong result
// is a report whose verdict says so.
Result<RunReport> run_selected(const Kernel& kernel, const Problem& problem, const Config& config,
                               const RunOptions& options);

} // namespace warptune
