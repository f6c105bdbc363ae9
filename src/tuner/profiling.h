// Profiling: counters for the trials of a session, after everything was timed, so that no counter run stands beside a
// timed one. Many configurations an order, since the device turns to counting once for all of them. Knows the device
// worker; not which trials are worth it, nor where counters are kept.
#pragma once

#include "core/trial.h"
#include "worker/device_worker.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace warptune {

// Whether they can be counted on the device, as far as it can be known without it: sets by name, metrics by the chip's
// catalogue where CUPTI is installed. Error (kind bad_input), with the nearest names.
Result<void> check_metrics(const std::string& metrics, DType dtype, const DeviceInfo& device);

struct ProfilingOptions {
  std::string metrics; // a list of sets and metrics (profiler/metric_sets.h)
  bool cold_l2 = true;
  double timeout_s = 30; // for each configuration
};

struct ProfilingReport {
  std::int64_t profiled = 0, failed = 0;
  std::string unavailable;   // why the device gives no counters, a sentence; empty: it does
  std::string first_failure; // of a configuration, a sentence
  bool stopped = false;
};

// Fills in the trials' profiles; `keep` stores each as it comes, `progress` hears how many are done. A configuration
// that takes the process with it is left out. Error: the device cannot be used any more, or `keep` failed.
Result<ProfilingReport> profile_trials(DeviceWorker& device, const std::vector<Trial*>& trials,
                                       const ProfilingOptions& options,
                                       const std::function<Result<void>(const Trial&)>& keep,
                                       const std::function<void(std::int64_t)>& progress,
                                       const std::atomic<bool>& stop);

} // namespace warptune
