#include "cuda/cuda_backend.h"

#include "cuda/cuda_backend_impl.h"
#include "gpu/library_calls.h"
#include "profiler/roofs.h"
#include "spec/config.h"

#include <fmt/format.h>

namespace warptune {

CudaBackend::~CudaBackend() {
  if (!device_ || !device_->hung) return;
  // A kernel that never ends still uses these objects, and releasing them would wait for it. Leak them: the process is
  // about to be replaced.
  for (auto& [text, candidate] : finalists_) (void)candidate.release();
  (void)counters_.release();
  (void)memory_.release();
  (void)device_.release();
}

Result<DeviceInfo> CudaBackend::device() {
  auto info = device_ ? Result<DeviceInfo>(device_->info) : query_tunable_device(ordinal_);
  const auto driver = load_driver();
  if (info && driver && setup_)
    for (const std::string& version : library_versions(**driver, setup_->kernel.spec)) info->compiler += "; " + version;
  return info;
}

Result<Roofs> CudaBackend::measure_roofs() {
  WT_CHECK(open_device());
  stop_counting();
  WT_TRY(auto measured, warptune::measure_roofs(device_->driver(), device_->provider, device_->info, device_->timer,
                                                device_->stream.get()));
  device_->info.roofs = measured.roofs;
  return measured.roofs;
}

Result<void> CudaBackend::set_kernel(const ProblemSetup& setup) {
  WT_CHECK(find_nvrtc());
  finalists_.clear();
  plans_.clear();
  memory_.reset(); // the memory refers to the old kernel
  setup_ = std::make_unique<ProblemSetup>(setup);
  return {};
}

Result<void> CudaBackend::open(const ProblemSetup& setup) {
  WT_CHECK(set_kernel(setup));
  return ensure_memory();
}

Result<void> CudaBackend::open_device() {
  if (device_) return device_->context.make_current();
  WT_TRY(auto opened,
         CudaDevice::open(ordinal_, cache_, setup_ ? &setup_->kernel : nullptr, setup_ ? &setup_->problem : nullptr));
  device_ = std::move(opened);
  return {};
}

Result<void> CudaBackend::ensure_memory() {
  if (!setup_) return fail(ErrorKind::internal, "no kernel was set before a problem was opened");
  WT_CHECK(open_device());
  if (memory_) return memory_->ensure(setup_->seed);
  WT_TRY(auto memory, ProblemMemory::open(*device_, setup_->kernel, setup_->problem, setup_->seed, cache_));
  memory_ = std::move(memory);
  return {};
}

Result<Verdict> CudaBackend::check(const Config& config, const Problem& problem, std::uint64_t seed) {
  if (!setup_) return fail(ErrorKind::internal, "no kernel was set before a check");
  WT_CHECK(open_device());
  if (auto invalid = check_config(setup_->kernel.spec, problem, device_->info, config))
    return fail(ErrorKind::no_candidate, *invalid);
  auto memory = ProblemMemory::open(*device_, setup_->kernel, problem, seed, cache_);
  if (!memory && memory_ && !device_->hung) {
    // There may not be memory for both; the tuned problem's buffers are allocated again on demand.
    finalists_.clear();
    memory_.reset();
    memory = ProblemMemory::open(*device_, setup_->kernel, problem, seed, cache_);
  }
  WT_CHECK(memory);
  WT_TRY(auto candidate, prepare(**memory, problem, config, ""));
  auto first = run_verified(*device_, **memory, *candidate);
  RunResult<Verdict> verdict = first ? RunResult<Verdict>(first->verdict) : tl::make_unexpected(first.error());
  if (verdict && verdict->correct) verdict = verify_again(*device_, **memory, *candidate, true);
  if (verdict) return std::move(*verdict);
  if (device_->hung) { // the kernel still uses them
    (void)candidate.release();
    (void)memory->release();
  }
  Verdict failed;
  failed.detail = fmt::format("{}: {}", status_name(verdict.error().status), verdict.error().evidence);
  return failed;
}

Result<std::unique_ptr<Backend>> make_cuda_backend(int ordinal, const std::string& cache_directory) {
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(ordinal, cache_directory));
}

} // namespace warptune
