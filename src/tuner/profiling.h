// Profiling: reads counters for trials of a session. It runs after all timing, because counting would disturb timed
// runs. One request covers many configurations, because the device must be switched to counting for each request. The
// caller decides which trials are profiled and where the counters are stored.
#pragma once

#include "core/trial.h"
#include "worker/device_worker.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace warptune {

// Checks whether the device can count these metrics, without using the device. Sets are checked by name. If CUPTI is
// installed, metrics are checked against the chip's catalogue. Error (bad_input): unknown names, with the nearest known
// ones.
Result<void> check_metrics(const std::string& metrics, DType dtype, const DeviceInfo& device);

struct ProfilingOptions {
  std::string metrics; // a list of metrics and metric sets (profiler/metric_sets.h)
  bool cold_l2 = true;
  double timeout_s = 30; // per configuration
};

struct ProfilingReport {
  std::int64_t profiled = 0, failed = 0;
  std::string unavailable;   // a sentence: why the device provides no counters; empty: it does
  std::string first_failure; // a sentence: the first configuration that could not be counted, and why
  bool stopped = false;
};

// Sets the trials' profiles. As soon as a trial has its profile, calls `keep` with this trial, to store the profile.
// After each request to the device's process, calls `progress` with the number of trials done, including failed trials.
// A configuration that crashes the process is left out. Error: the device can no longer be used, or `keep` failed.
Result<ProfilingReport> profile_trials(DeviceWorker& device, const std::vector<Trial*>& trials,
                                       const ProfilingOptions& options,
                                       const std::function<Result<void>(const Trial&)>& keep,
                                       const std::function<void(std::int64_t)>& progress,
                                       const std::atomic<bool>& stop);

} // namespace warptune
