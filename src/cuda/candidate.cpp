#include "cuda/candidate.h"

#include "gpu/driver_occupancy.h"
#include "plan/program_symbol.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr std::size_t kOperationsOfACall = 4; // a library call may launch several kernels

std::size_t kernel_of(const LaunchPlan& plan, const KernelLaunch& launch) {
  const auto& names = plan.name_expressions;
  const auto at = std::find(names.begin(), names.end(), launch.name_expression);
  return at == names.end() ? 0 : static_cast<std::size_t>(at - names.begin());
}

RunFailure to_failure(CudaDevice& device, const Error& error) { return describe_failure(device, error); }

} // namespace

const KernelLaunch& heaviest_launch(const LaunchPlan& plan, const std::vector<KernelResources>& resources) {
  return *std::max_element(plan.launches.begin(), plan.launches.end(), [&](const auto& a, const auto& b) {
    return resources[kernel_of(plan, a)].registers < resources[kernel_of(plan, b)].registers;
  });
}

KernelResources heaviest_resources(const LaunchPlan& plan, const std::vector<KernelResources>& resources) {
  return resources[kernel_of(plan, heaviest_launch(plan, resources))];
}

namespace {

// Occupancy of the launch that uses the most registers; no_candidate if not even one of its blocks fits.
Result<double> find_share(const CudaDevice& device, const LaunchPlan& plan, const LoadedKernels& kernels,
                          const std::vector<KernelResources>& resources) {
  const KernelLaunch& launch = heaviest_launch(plan, resources);
  const int threads = static_cast<int>(launch.block.x * launch.block.y * launch.block.z);
  WT_TRY(auto occupancy, find_occupancy(device.driver(), device.context.device(),
                                        kernels.functions[kernel_of(plan, launch)], threads, launch.shared_bytes));
  if (occupancy.blocks_per_sm == 0)
    return fail(ErrorKind::no_candidate,
                fmt::format("{}: no block of {} threads with {} bytes of dynamic shared memory fits "
                            "on a multiprocessor (too many registers or too much shared memory)",
                            launch.name_expression, threads, launch.shared_bytes));
  return occupancy.share;
}

} // namespace

Result<std::unique_ptr<LoadedCandidate>> prepare_candidate(CudaDevice& device, ProblemMemory& memory, LaunchPlan plan,
                                                           const Cubin* cubin) {
  const Driver& driver = device.driver();
  // A sample begins when all work before it has ended.
  if (!plan.launches.empty()) plan.launches.front().programmatic = false;
  LoadedKernels kernels;
  if (cubin != nullptr) {
    adapt_launches(plan, cubin->lowered_names);
    WT_TRY(kernels, load_kernels(driver, cubin->image, cubin->lowered_names, plan.symbols.size()));
  }
  WT_TRY(auto pointers, memory.pointers(plan));
  WT_TRY(auto sequence, LaunchSequence::make(driver, plan, kernels.functions, pointers, kernels.symbols));
  double occupancy = 0;
  if (cubin != nullptr) {
    WT_TRY(occupancy, find_share(device, plan, kernels, cubin->resources));
  }
  bool local_memory = !plan.library_calls.empty();
  for (const CUfunction function : kernels.functions) {
    int bytes = 0;
    local_memory |=
        driver.cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function) != CUDA_SUCCESS || bytes > 0;
  }
  // NOLINTNEXTLINE(modernize-make-unique): an aggregate
  auto candidate = std::unique_ptr<LoadedCandidate>(new LoadedCandidate{
      std::move(plan), std::move(kernels), std::move(sequence), memory.generation(), occupancy, local_memory});
  return candidate;
}

TimedWork LoadedCandidate::work(ProblemMemory& memory, bool poisoned) const {
  TimedWork work;
  work.run = [this](CUstream stream) { return sequence.enqueue(stream); };
  work.operations = static_cast<int>(plan.launches.size() + kOperationsOfACall * plan.library_calls.size() +
                                     plan.buffers.size() + 2 * plan.symbols.size());
  work.written_bytes = plan.output_bytes();
  if (memory.operation_count() > 0) {
    work.restore = [&memory](CUstream stream) { return memory.restore(stream); };
    work.operations += memory.operation_count();
  }
  if (poisoned)
    work.poison = [this, &memory](CUstream stream) {
      // Errors of the device itself are reported by the next call.
      return memory.poison(plan, stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    };
  return work;
}

RunFailure describe_failure(CudaDevice& device, CUresult status, double deadline_s) {
  if (status == CUDA_ERROR_NOT_READY) {
    device.hung = true;
    return {TrialStatus::timed_out, fmt::format("still running after {:.0f} s", deadline_s), true};
  }
  const std::string text = cuda_error_text(device.driver(), status);
  if (is_fatal_cuda_error(status)) return {TrialStatus::crashed, text, true};
  return {TrialStatus::launch_failed, text, false};
}

RunFailure describe_failure(CudaDevice& device, const Error& error) {
  if (device.hung) return {TrialStatus::timed_out, error.message, true};
  const bool fatal = device.find_fault() != CUDA_SUCCESS;
  return {fatal ? TrialStatus::crashed : TrialStatus::launch_failed, error.message, fatal};
}

RunResult<double> launch_unprepared(CudaDevice& device, const LoadedCandidate& candidate, double timeout_s) {
  const Driver& driver = device.driver();
  const CUstream stream = device.stream.get();
  CUresult status = driver.cuEventRecord(device.begun.get(), stream);
  if (status == CUDA_SUCCESS) status = candidate.sequence.enqueue(stream);
  if (status == CUDA_SUCCESS) status = driver.cuEventRecord(device.done.get(), stream);
  if (status == CUDA_SUCCESS) status = wait_for_event(driver, device.done.get(), timeout_s);
  float ms = 0;
  if (status == CUDA_SUCCESS) status = driver.cuEventElapsedTime(&ms, device.begun.get(), device.done.get());
  if (status != CUDA_SUCCESS) return tl::make_unexpected(describe_failure(device, status, timeout_s));
  return ms * 1e3;
}

RunResult<double> launch_once(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate) {
  if (!candidate.plan.library_calls.empty()) {
    // A library loads its kernels at their first launch, so this launch is not counted. (Loading all of them with
    // CUDA_MODULE_LOADING=EAGER takes cuBLASLt more than a second per process.)
    if (auto ready = memory.prepare(candidate.plan); !ready)
      return tl::make_unexpected(to_failure(device, ready.error()));
    WT_CHECK(launch_unprepared(device, candidate));
  }
  if (auto ready = memory.prepare(candidate.plan); !ready)
    return tl::make_unexpected(to_failure(device, ready.error()));
  // The driver may have to wait for the device to grow local memory, which it cannot do behind the gate.
  if (candidate.local_memory) return launch_unprepared(device, candidate);
  // Behind the gate, so that a busy host cannot make the candidate look slow.
  auto us = device.timer.sample(candidate.work(memory, false), true, device.stream.get());
  if (!us) return tl::make_unexpected(describe_failure(device, us.error(), device.timer.deadline_s));
  return *us;
}

RunResult<VerifiedRun> run_verified(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate) {
  for (int attempt = 0;; ++attempt) {
    WT_TRY(auto ran, launch_once(device, memory, candidate));
    auto verdict = memory.verify(candidate.plan);
    if (!verdict) return tl::make_unexpected(to_failure(device, verdict.error()));
    if (verdict->correct) return VerifiedRun{std::move(*verdict), ran};
    auto damaged = memory.heal();
    if (!damaged) return tl::make_unexpected(to_failure(device, damaged.error()));
    if (!*damaged || attempt > 0) return VerifiedRun{std::move(*verdict), ran};
  }
}

RunResult<Verdict> verify_again(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate,
                                bool launch) {
  // Inouts are checked too: every run began from their original contents.
  auto verdict = memory.verify(candidate.plan);
  if (verdict && verdict->correct && launch) {
    // Elements that later runs did not write still hold the first result, so poison the outputs first.
    WT_CHECK(launch_once(device, memory, candidate));
    verdict = memory.verify(candidate.plan);
  }
  if (!verdict) return tl::make_unexpected(to_failure(device, verdict.error()));
  if (verdict->correct) return std::move(*verdict);
  verdict->detail = "correct at first, but wrong when it ran again: " + verdict->detail;
  if (auto damaged = memory.heal(); !damaged) return tl::make_unexpected(to_failure(device, damaged.error()));
  return std::move(*verdict);
}

} // namespace warptune
