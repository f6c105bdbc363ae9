#include "tuner/profiling.h"

#include "profiler/metric_catalog.h"
#include "profiler/metric_sets.h"

#include <algorithm>
#include <span>

namespace warptune {
namespace {

constexpr std::size_t kBatch = 64; // configurations per task
constexpr int kDeathsInARow = 3;   // deaths while profiling single configurations; then the counters are at fault

class Profiling {
 public:
  Profiling(DeviceWorker& device, const ProfilingOptions& options,
            const std::function<Result<void>(const Trial&)>& keep, const std::function<void(std::int64_t)>& progress)
      : device_(device), options_(options), keep_(keep), progress_(progress) {}

  bool over() const { return !report_.unavailable.empty(); }
  ProfilingReport& report() { return report_; }

  // A process that dies does not name the configuration at fault, so each one is then profiled alone.
  Result<void> run(std::span<Trial* const> batch) {
    WT_TRY(auto outcome, device_.ask(order(batch), options_.timeout_s * static_cast<double>(batch.size())));
    const auto* profiles = outcome ? std::get_if<Profiles>(&*outcome) : nullptr;
    if (profiles) {
      deaths_ = 0;
      return take(batch, *profiles);
    }
    if (batch.size() > 1) {
      for (Trial* const& trial : batch) WT_CHECK(over() ? Result<void>() : run({&trial, 1}));
      return {};
    }
    const auto* error = outcome ? std::get_if<Error>(&*outcome) : nullptr;
    const std::string why =
        outcome ? (error ? error->message : "the worker gave an unexpected reply") : outcome.error().evidence;
    fail_one(why);
    progress_(report_.profiled + report_.failed);
    if (++deaths_ == kDeathsInARow) report_.unavailable = "reading counters failed repeatedly: " + why;
    return {};
  }

 private:
  ProfileTask order(std::span<Trial* const> batch) const {
    ProfileTask task{{}, {}, options_.metrics, options_.cold_l2};
    for (const Trial* trial : batch) {
      task.configs.push_back(trial->config);
      Compiled compiled;
      compiled.cubin_hash = trial->cubin_hash;
      compiled.resources = trial->resources;
      task.compiled.push_back(std::move(compiled));
    }
    return task;
  }

  Result<void> take(std::span<Trial* const> batch, const Profiles& profiles) {
    report_.unavailable = profiles.unavailable;
    if (over()) return {};
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (i >= profiles.profiles.size() || !profiles.profiles[i]) {
        fail_one(i < profiles.evidence.size() ? profiles.evidence[i] : "no counters came back");
        continue;
      }
      batch[i]->profile = profiles.profiles[i];
      ++report_.profiled;
      WT_CHECK(keep_(*batch[i]));
    }
    progress_(report_.profiled + report_.failed);
    return {};
  }

  void fail_one(const std::string& why) {
    if (report_.failed++ == 0) report_.first_failure = why;
  }

  DeviceWorker& device_;
  const ProfilingOptions& options_;
  const std::function<Result<void>(const Trial&)>& keep_;
  const std::function<void(std::int64_t)>& progress_;
  ProfilingReport report_;
  int deaths_ = 0;
};

} // namespace

Result<void> check_metrics(const std::string& metrics, DType dtype, const DeviceInfo& device) {
  WT_TRY(const auto asked, expand_metrics(metrics, dtype));
  // Opening a catalogue is slow, and the built-in sets are known to be valid.
  if (std::none_of(asked.begin(), asked.end(), [](const AskedMetric& metric) { return metric.by_name; })) return {};
  const auto catalog = MetricCatalog::open(chip_of(device.limits.compute_capability));
  if (!catalog) return {};
  WT_CHECK(resolve_metrics(*catalog, metrics, dtype));
  return {};
}

Result<ProfilingReport> profile_trials(DeviceWorker& device, const std::vector<Trial*>& trials,
                                       const ProfilingOptions& options,
                                       const std::function<Result<void>(const Trial&)>& keep,
                                       const std::function<void(std::int64_t)>& progress,
                                       const std::atomic<bool>& stop) {
  Profiling profiling(device, options, keep, progress);
  for (std::size_t at = 0; at < trials.size() && !profiling.over(); at += kBatch) {
    if (stop) {
      profiling.report().stopped = true;
      break;
    }
    const std::span<Trial* const> all(trials);
    WT_CHECK(profiling.run(all.subspan(at, std::min(kBatch, trials.size() - at))));
  }
  return std::move(profiling.report());
}

} // namespace warptune
