// CudaBackend::sample and count_instructions: the kernels are loaded again, because CUPTI must observe the loading.
#include "cuda/cuda_backend_impl.h"
#include "profiler/pc_sampler.h"
#include "profiler/sass_counter.h"
#include "profiler/source_lines.h"

#include <memory>

namespace warptune {

template <class Open, class Use>
Result<Samples> CudaBackend::watch(const Config& config, const Compiled& compiled, const Open& open, const Use& use) {
  WT_CHECK(ensure_memory());
  stop_counting();
  finalists_.clear();
  WT_TRY(const auto plan, plans_.find(setup_->kernel.spec, setup_->problem, config, device_->info));
  if (!plan->has_program()) return Samples{{}, "the configuration only calls a library, whose sources are not known"};
  std::unique_ptr<LoadedCandidate> candidate; // declared first, so that it is unloaded after the tool has ended
  auto tool = open();
  if (!tool) return Samples{{}, tool.error().message};
  WT_TRY(candidate, prepare(*memory_, setup_->problem, config, compiled.cubin_hash));
  const auto abandon_if_hung = [&] { // the kernel still uses them
    if (!device_->hung) return;
    tool->abandon();
    (void)candidate.release();
  };
  if (auto first = launch_once(*device_, *memory_, *candidate); !first) {
    abandon_if_hung();
    return fail(ErrorKind::no_candidate, first.error().evidence);
  }
  const auto cached = cache_.find(compiled.cubin_hash);
  if (!cached || !*cached)
    return fail(ErrorKind::internal, "the cubin is no longer in the cache; repeat the command to compile it again");
  const std::string& cubin = (*cached)->image;
  auto samples = use(*tool, repeatable(*candidate), cubin);
  if (!samples) {
    device_->hung = tool->run_status() == CUDA_ERROR_NOT_READY;
    abandon_if_hung();
    const bool is_refused = samples.error().kind == ErrorKind::no_device;
    return is_refused ? Samples{{}, samples.error().message} : Result<Samples>(tl::make_unexpected(samples.error()));
  }
  WT_CHECK(find_source_lines(*samples, cubin));
  return Samples{std::move(*samples), {}};
}

Result<Samples> CudaBackend::sample(const Config& config, const Compiled& compiled, double us, bool cold_l2) {
  return watch(
      config, compiled, [&] { return PcSampler::open(device_->driver(), device_->provider, device_->info.limits); },
      [&](PcSampler& sampler, const ProfiledWork& work, const std::string& cubin) {
        const SamplingPlan plan = sampling_plan(us, device_->info.limits.sm_count, device_->info.max_sm_clock_mhz);
        return sampler.sample(work, cubin, plan, cold_l2, device_->stream.get());
      });
}

Result<Samples> CudaBackend::count_instructions(const Config& config, const Compiled& compiled) {
  return watch(
      config, compiled, [&] { return SassCounter::open(device_->driver()); },
      [&](SassCounter& counter, const ProfiledWork& work, const std::string& cubin) {
        return counter.count(work, cubin, device_->stream.get());
      });
}

} // namespace warptune
