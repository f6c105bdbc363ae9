// Profiling: reads counters for the trials of a session. It runs after all timing, so that counter runs cannot disturb
// timed runs. One request covers many configurations, because the device switches to counting once per request. It uses
// the device worker, but does not decide which trials to profile or where to store counters.
#pragma once

#include "core/trial.h"
#include "worker/device_worker.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace warptune {

// Checks, without using the device, that it can count the metrics: sets by name, metrics by the chip's catalogue if
// CUPTI is installed. Error (bad_input): unknown names, with the nearest known ones.
Result<void> check_metrics(const std::string& metrics, DType dtype, const DeviceInfo& device);

struct ProfilingOptions {
  std::string metrics; // a list of sets and metrics (profiler/metric_sets.h)
  bool cold_l2 = true;
  double timeout_s = 30; // per configuration
};

struct ProfilingReport {
  std::int64_t profiled = 0, failed = 0;
  std::string unavailable;   // a sentence: why the device provides no counters; empty if it does
  std::string first_failure; // a sentence: the first failure to count a configuration
  bool stopped = false;
};

// Fills in the trials' profiles. `keep` stores each one immediately; `progress` receives the number done. A
// configuration that crashes the process is left out. Error: the device has become unusable, or `keep` failed.
Result<ProfilingReport> profile_trials(DeviceWorker& device, const std::vector<Trial*>& trials,
                                       const ProfilingOptions& options,
                                       const std::function<Result<void>(const Trial&)>& keep,
                                       const std::function<void(std::int64_t)>& progress,
                                       const std::atomic<bool>& stop);

} // namespace warptune
