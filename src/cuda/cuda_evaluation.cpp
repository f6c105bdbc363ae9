#include "cuda/cuda_backend_impl.h"
#include "cuda/static_checks.h"
#include "jit/build.h"
#include "profiler/stop_rule.h"
#include "worker/trial_of.h"

#include <chrono>

namespace warptune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kCompileTimeout = 120; // seconds; for a cubin that is no longer in the cache

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

} // namespace

Compiled CudaBackend::compile(const Config& config, const DeviceInfo& device, double timeout_s) {
  if (!setup_) return {TrialStatus::compile_failed, "no kernel was set", {}, {}, 0};
  const Kernel& kernel = setup_->kernel;
  const auto refuse = [](const Error& error) {
    Compiled result;
    result.status = error.kind == ErrorKind::no_candidate ? TrialStatus::invalid : TrialStatus::compile_failed;
    result.evidence = error.message;
    return result;
  };
  const auto plan = plans_.find(kernel.spec, setup_->problem, config, device);
  if (!plan) return refuse(plan.error());
  if (!(*plan)->has_program()) return {}; // library calls only
  auto request = request_of(setup_->problem, config, device, **plan);
  if (!request) return refuse(request.error());
  return compile_checked(cache_, prescreens_[kernel.source_hash], **plan, *request, device.limits, timeout_s);
}

Result<CompileRequest> CudaBackend::request_of(const Problem& problem, const Config& config, const DeviceInfo& device,
                                               const LaunchPlan& plan) const {
  const Kernel& kernel = setup_->kernel;
  WT_TRY(auto request, make_compile_request(kernel.spec, kernel.sources, problem, config, device, plan));
  set_builder(request, setup_->builders);
  if (setup_->line_info && !request.build) request.options.emplace_back("-lineinfo");
  return request;
}

Result<std::unique_ptr<LoadedCandidate>> CudaBackend::prepare(ProblemMemory& memory, const Problem& problem,
                                                              const Config& config, const std::string& cubin_hash) {
  const Kernel& kernel = setup_->kernel;
  WT_TRY(const auto plan, plans_.find(kernel.spec, problem, config, device_->info));
  if (!plan->has_program()) return prepare_candidate(*device_, memory, *plan, nullptr);
  auto cached = cubin_hash.empty() ? std::nullopt : cache_.find(cubin_hash);
  if (!cached || !*cached) {
    WT_TRY(auto request, request_of(problem, config, device_->info, *plan));
    WT_TRY(auto compiled, make_program(cache_, request, kCompileTimeout));
    cached = std::move(compiled);
  }
  if (!*cached) return fail(ErrorKind::no_candidate, shorten_evidence(cached->error().log));
  return prepare_candidate(*device_, memory, *plan, &**cached);
}

Evaluation CudaBackend::evaluate(const Config& config, const Compiled& compiled, const MeasureOptions& options) {
  Evaluation evaluation;
  evaluation.trial = trial_of(config, compiled);
  if (compiled.status == TrialStatus::ok) evaluate_on_device(evaluation, compiled, options);
  return evaluation;
}

void CudaBackend::evaluate_on_device(Evaluation& evaluation, const Compiled& compiled, const MeasureOptions& options) {
  Trial& trial = evaluation.trial;
  const auto failed = [&](const RunFailure& failure) {
    trial.status = failure.status;
    trial.evidence = failure.evidence;
    evaluation.fatal = failure.fatal;
  };
  stop_counting();
  const auto begin_verify = Clock::now();
  if (auto ready = ensure_memory(); !ready) {
    // The device or the reference is unusable, which is not the candidate's fault; a new process may succeed.
    trial.status = TrialStatus::launch_failed;
    trial.evidence = ready.error().message;
    evaluation.fatal = true;
    return;
  }
  auto candidate = prepare(*memory_, setup_->problem, trial.config, compiled.cubin_hash);
  if (!candidate) return failed(describe_failure(*device_, candidate.error()));
  const auto stopped = [&](const RunFailure& failure) {
    if (device_->hung) (void)candidate->release(); // the kernel is still running
    failed(failure);
  };
  trial.resources.occupancy = (*candidate)->occupancy;
  auto first = run_verified(*device_, *memory_, **candidate);
  trial.verify_ms = ms_since(begin_verify);
  if (!first) return stopped(first.error());
  trial.verdict = first->verdict;
  if (!first->verdict.correct) {
    trial.status = TrialStatus::wrong_result;
    trial.evidence = first->verdict.detail;
    return;
  }
  const bool sampled = options.cold_l2 && !(*candidate)->local_memory;
  if (sampled && is_hopeless_at_once(first->us, options)) {
    trial.timing = device_->timer.single(first->us, options);
    return;
  }
  const auto begin_measure = Clock::now();
  // With a warm cache, the cache must hold data of the previous run, not poison.
  const bool poisoned = options.cold_l2;
  auto timing = device_->timer.measure((*candidate)->work(*memory_, poisoned), options, device_->stream.get(),
                                       sampled ? first->us : 0);
  trial.measure_ms = ms_since(begin_measure);
  if (!timing) return stopped(describe_failure(*device_, timing.error(), device_->timer.deadline_s));
  // Running again reveals data races, and kernels that work only once.
  auto again = verify_again(*device_, *memory_, **candidate, !poisoned);
  if (!again) return stopped(again.error());
  if (!again->correct) {
    trial.status = TrialStatus::unstable;
    trial.evidence = again->detail;
    trial.verdict = *again;
    return;
  }
  trial.timing = std::move(*timing);
}

} // namespace warptune
