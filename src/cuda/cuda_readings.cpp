#include "cuda/cuda_backend_impl.h"
#include "profiler/power_meter.h"
#include "spec/config.h"

#include <fmt/format.h>
#include <optional>

namespace warptune {

ProfiledWork CudaBackend::repeatable(const LoadedCandidate& candidate) {
  return {[&candidate](CUstream stream) { return candidate.sequence.enqueue(stream); },
          [this, &candidate](CUstream stream) {
            const CUresult restored = memory_->restore(stream);
            if (restored != CUDA_SUCCESS) return restored;
            return memory_->poison(candidate.plan, stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
          }};
}

// The counters stay enabled until the device is needed for something else, because enabling them is the most expensive
// step.
Result<Profiles> CudaBackend::profile(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                                      const std::string& metrics, bool cold_l2) {
  WT_CHECK(ensure_memory());
  if (!counters_) counters_ = make_counter_source(device_->driver(), device_->provider, device_->info.limits);
  if (!counters_->why_not().empty()) return Profiles{{}, {}, counters_->why_not()};
  auto names = counters_->resolve(metrics, setup_->problem.dtype);
  if (!names) return Profiles{{}, {}, names.error().message};
  auto passes = counters_->passes(*names);
  if (!passes) return Profiles{{}, {}, passes.error().message};
  // Load, launch and verify, as for a round: counters of wrong configurations are useless.
  WT_TRY(auto wrong, prepare_finalists(configs, compiled));
  std::vector<ProfiledWork> works;
  std::vector<std::size_t> counted;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const LoadedCandidate& candidate = *finalists_[config_text(setup_->kernel.spec, configs[i])];
    if (!candidate.plan.has_program()) {
      if (wrong[i].empty())
        wrong[i] = fmt::format("the configuration only calls a library ({}), whose counters cannot be read",
                               candidate.plan.library_calls.front().name());
      continue;
    }
    counted.push_back(i);
    works.push_back(repeatable(candidate));
  }
  Profiles out{std::vector<std::optional<Profile>>(configs.size()), std::move(wrong), {}};
  if (works.empty()) return out;
  auto values = counters_->collect(works, *names, cold_l2, device_->stream.get());
  if (!values) {
    device_->hung = counters_->run_status() == CUDA_ERROR_NOT_READY;
    return fail(values.error());
  }
  for (std::size_t n = 0; n < counted.size(); ++n)
    if (const std::size_t i = counted[n]; out.evidence[i].empty())
      out.profiles[i] = Profile{(*values)[n], counters_->source(), *passes, cold_l2};
  return out;
}

Result<Power> CudaBackend::measure_power(const Config& config, const Compiled& compiled, double window_s) {
  WT_CHECK(ensure_memory());
  stop_counting();
  const auto nvml = NvmlDevice::find(device_->info.uuid);
  if (!nvml) return Power{{}, "NVML, which comes with the driver, was not found"};
  if (!nvml->energy_mj()) return Power{{}, "this device has no energy counter"};
  WT_TRY(auto wrong, prepare_finalists({config}, {compiled}));
  if (!wrong.front().empty()) return fail(ErrorKind::no_candidate, wrong.front());
  const LoadedCandidate& candidate = *finalists_[config_text(setup_->kernel.spec, config)];
  PowerMeter meter(device_->driver(), *nvml);
  auto reading = meter.measure(candidate.work(*memory_, false), window_s, device_->stream.get());
  if (!reading) {
    const RunFailure failure = describe_failure(*device_, reading.error(), meter.deadline_s);
    return fail(ErrorKind::internal, failure.evidence);
  }
  if (!(reading->energy_mj > 0))
    return Power{{}, "the device's energy counter did not increase during the measurement"};
  return Power{*reading, {}};
}

} // namespace warptune
