#include "cuda/cuda_backend.h"

#include "cuda/candidate.h"
#include "cuda/cuda_device.h"
#include "cuda/problem_memory.h"
#include "cuda/static_checks.h"
#include "gpu/library_calls.h"
#include "jit/build.h"
#include "plan/candidate_plans.h"
#include "profiler/counter_source.h"
#include "profiler/power_meter.h"
#include "profiler/roofs.h"
#include "profiler/stop_rule.h"
#include "spec/config.h"
#include "worker/trial_of.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace warptune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxFinalists = 64;
constexpr std::uint64_t kRoundSeeds = 0x10001,
                        kLateSeed = 0x8000; // between the seeds of rounds and of what follows them
constexpr double kCompileTimeout = 120;     // seconds, for a cubin that is not in the cache any more

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

class CudaBackend final : public Backend {
 public:
  CudaBackend(int ordinal, const std::string& cache_directory) : ordinal_(ordinal), cache_(cache_directory) {}

  ~CudaBackend() override {
    if (!device_ || !device_->hung) return;
    // A kernel that never ends is still running on all of this, and every release would wait for it. The process is
    // about to be replaced.
    for (auto& [text, candidate] : finalists_) (void)candidate.release();
    (void)counters_.release();
    (void)memory_.release();
    (void)device_.release();
  }

  // Asks the driver alone, and the libraries that the kernel calls: with the answer the compilers begin, while open()
  // still makes the context. What versions they are of belongs to what a result is of, as the compiler does.
  Result<DeviceInfo> device() override {
    auto info = device_ ? Result<DeviceInfo>(device_->info) : query_tunable_device(ordinal_);
    const auto driver = load_driver();
    if (info && driver && setup_)
      for (const std::string& version : library_versions(**driver, setup_->kernel.spec))
        info->compiler += "; " + version;
    return info;
  }

  Result<Roofs> measure_roofs() override {
    WT_CHECK(open_device());
    stop_counting();
    WT_TRY(auto measured, warptune::measure_roofs(device_->driver(), device_->provider, device_->info, device_->timer,
                                                  device_->stream.get()));
    device_->info.roofs = measured.roofs;
    return measured.roofs;
  }

  Result<void> set_kernel(const ProblemSetup& setup) override {
    WT_CHECK(find_nvrtc());
    finalists_.clear();
    plans_.clear();
    memory_.reset(); // it refers to the kernel
    setup_ = std::make_unique<ProblemSetup>(setup);
    return {};
  }

  Result<void> open(const ProblemSetup& setup) override {
    WT_CHECK(set_kernel(setup));
    return ensure_memory();
  }

  Compiled compile(const Config& config, const DeviceInfo& device, double timeout_s) override;
  Evaluation evaluate(const Config& config, const Compiled& compiled, const MeasureOptions& options) override;
  Result<Round> round(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                      const std::vector<float>& idle_us, bool cold_l2) override;
  Result<Verdict> verify_once_more(const Config& config, const Compiled& compiled) override;
  Result<Profiles> profile(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                           const std::string& metrics, bool cold_l2) override;
  Result<Power> measure_power(const Config& config, const Compiled& compiled, double window_s) override;
  Result<Verdict> check(const Config& config, const Problem& problem, std::uint64_t seed) override;

 private:
  Result<void> open_device() {
    if (device_) return device_->context.make_current();
    WT_TRY(auto opened,
           CudaDevice::open(ordinal_, cache_, setup_ ? &setup_->kernel : nullptr, setup_ ? &setup_->problem : nullptr));
    device_ = std::move(opened);
    return {};
  }

  // The buffers of the problem at hand with the inputs of its seed.
  Result<void> ensure_memory() {
    if (!setup_) return fail(ErrorKind::internal, "no kernel was set before a problem was opened");
    WT_CHECK(open_device());
    if (memory_) return memory_->ensure(setup_->seed);
    WT_TRY(auto memory, ProblemMemory::open(*device_, setup_->kernel, setup_->problem, setup_->seed, cache_));
    memory_ = std::move(memory);
    return {};
  }

  Result<std::unique_ptr<LoadedCandidate>> prepare(ProblemMemory& memory, const Problem& problem, const Config& config,
                                                   const std::string& cubin_hash);
  bool is_ready(const Config& config) const;
  Result<std::vector<std::string>> prepare_finalists(const std::vector<Config>& configs,
                                                     const std::vector<Compiled>& compiled);
  // Before anything is timed: counting slows a launch.
  void stop_counting() {
    if (counters_) counters_->release();
  }
  void evaluate_on_device(Evaluation& evaluation, const Compiled& compiled, const MeasureOptions& options);

  int ordinal_;
  CubinCache cache_;
  std::unique_ptr<CudaDevice> device_; // before everything that lives on it
  std::unique_ptr<CounterSource> counters_;
  std::unique_ptr<ProblemSetup> setup_;
  CandidatePlans plans_;                        // of the setup's kernel
  std::map<std::string, Prescreen> prescreens_; // by source_hash: a compile worker turns from kernel to kernel and back
  std::unique_ptr<ProblemMemory> memory_;
  std::map<std::string, std::unique_ptr<LoadedCandidate>> finalists_; // by config_text
  std::uint64_t rounds_ = 0;
};

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
  auto request = make_compile_request(kernel.spec, kernel.sources, setup_->problem, config, device, **plan);
  if (!request) return refuse(request.error());
  set_builder(*request, setup_->builders);
  return compile_checked(cache_, prescreens_[kernel.source_hash], **plan, *request, device.limits, timeout_s);
}

Result<std::unique_ptr<LoadedCandidate>> CudaBackend::prepare(ProblemMemory& memory, const Problem& problem,
                                                              const Config& config, const std::string& cubin_hash) {
  const Kernel& kernel = setup_->kernel;
  WT_TRY(const auto plan, plans_.find(kernel.spec, problem, config, device_->info));
  if (!plan->has_program()) return prepare_candidate(*device_, memory, *plan, nullptr);
  auto cached = cubin_hash.empty() ? std::nullopt : cache_.find(cubin_hash);
  if (!cached || !*cached) {
    WT_TRY(auto request, make_compile_request(kernel.spec, kernel.sources, problem, config, device_->info, *plan));
    set_builder(request, setup_->builders);
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
    // Not the candidate's fault: the device or the oracle is unusable, and a fresh process may do better.
    trial.status = TrialStatus::launch_failed;
    trial.evidence = ready.error().message;
    evaluation.fatal = true;
    return;
  }
  auto candidate = prepare(*memory_, setup_->problem, trial.config, compiled.cubin_hash);
  if (!candidate) return failed(describe_failure(*device_, candidate.error()));
  const auto stopped = [&](const RunFailure& failure) {
    if (device_->hung) (void)candidate->release(); // it is still running
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
  // A warm cache should hold what a run of its own left, not poison.
  const bool poisoned = options.cold_l2;
  auto timing = device_->timer.measure((*candidate)->work(*memory_, poisoned), options, device_->stream.get(),
                                       sampled ? first->us : 0);
  trial.measure_ms = ms_since(begin_measure);
  if (!timing) return stopped(describe_failure(*device_, timing.error(), device_->timer.deadline_s));
  // A race shows when a kernel runs often, and a kernel that works only once when it runs again.
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

bool CudaBackend::is_ready(const Config& config) const {
  const auto found = finalists_.find(config_text(setup_->kernel.spec, config));
  return found != finalists_.end() && found->second && found->second->generation == memory_->generation();
}

// All of them in memory at once; growing a workspace for one voids the pointers of those before it. Each is loaded for
// good only once it ran, and that run is verified: what is wrong with it, per configuration.
Result<std::vector<std::string>> CudaBackend::prepare_finalists(const std::vector<Config>& configs,
                                                                const std::vector<Compiled>& compiled) {
  std::vector<std::string> wrong(configs.size());
  if (finalists_.size() > kMaxFinalists) finalists_.clear();
  for (bool settled = false; !settled;) {
    settled = true;
    for (std::size_t i = 0; i < configs.size(); ++i) {
      if (is_ready(configs[i])) continue;
      auto& entry = finalists_[config_text(setup_->kernel.spec, configs[i])];
      settled = false;
      WT_TRY(auto candidate,
             prepare(*memory_, setup_->problem, configs[i], i < compiled.size() ? compiled[i].cubin_hash : ""));
      entry = std::move(candidate);
      auto ran = run_verified(*device_, *memory_, *entry);
      if (!ran)
        return fail(ErrorKind::no_candidate,
                    fmt::format("{}: {}", config_text(setup_->kernel.spec, configs[i]), ran.error().evidence));
      wrong[i] = ran->verdict.correct ? "" : ran->verdict.detail;
    }
  }
  return wrong;
}

Result<Round> CudaBackend::round(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                                 const std::vector<float>& idle_us, bool cold_l2) {
  if (!setup_) return fail(ErrorKind::internal, "no kernel was set before a round");
  if (!memory_) WT_CHECK(ensure_memory());
  stop_counting();
  ++rounds_;
  const std::uint64_t seed = setup_->seed + rounds_ * kRoundSeeds;
  // The oracle is asked only when somebody is verified.
  const bool known = std::all_of(configs.begin(), configs.end(), [&](const Config& c) { return is_ready(c); });
  WT_CHECK(known ? memory_->draw(seed) : memory_->ensure(seed));
  Round round;
  WT_TRY(auto wrong, prepare_finalists(configs, compiled));
  if (std::any_of(wrong.begin(), wrong.end(), [](const std::string& detail) { return !detail.empty(); })) {
    round.samples_us.resize(configs.size());
    round.wrong = std::move(wrong);
    return round;
  }
  const std::size_t count = configs.size();
  std::vector<TimedWork> works;
  std::vector<const TimedWork*> order;
  works.reserve(count);
  for (const Config& config : configs)
    works.push_back(finalists_[config_text(setup_->kernel.spec, config)]->work(*memory_, false));
  // A warm cache holds what a run of its own left, as in an evaluation; that run does not count.
  const std::size_t runs = cold_l2 ? 1 : 2;
  std::vector<float> idle; // after the last run of each
  for (std::size_t i = 0; i < count; ++i) {
    order.insert(order.end(), runs, &works[i]);
    idle.resize(order.size());
    if (i < idle_us.size()) idle.back() = idle_us[i];
  }
  auto samples = device_->timer.sample_each(order, cold_l2, device_->stream.get(), idle);
  if (!samples) {
    const RunFailure failure = describe_failure(*device_, samples.error(), device_->timer.deadline_s);
    return fail(ErrorKind::internal, "the finalists could not be timed: " + failure.evidence);
  }
  round.samples_us.resize(count);
  for (std::size_t i = 0; i < count; ++i) round.samples_us[i] = (*samples)[i * runs + runs - 1];
  round.device = device_->timer.readings();
  return round;
}

// All finalists get the same data, so the oracle is asked once. What is loaded is launched as it is, with all that its
// earlier launches left in it.
Result<Verdict> CudaBackend::verify_once_more(const Config& config, const Compiled& compiled) {
  if (!setup_) return fail(ErrorKind::internal, "no kernel was set before a verification");
  if (!memory_) WT_CHECK(ensure_memory());
  stop_counting();
  WT_CHECK(memory_->ensure(setup_->seed + rounds_ * kRoundSeeds + kLateSeed));
  WT_TRY(auto wrong, prepare_finalists({config}, {compiled}));
  if (wrong.front().empty()) {
    auto ran = run_verified(*device_, *memory_, *finalists_[config_text(setup_->kernel.spec, config)]);
    if (!ran) return fail(ErrorKind::internal, ran.error().evidence);
    return std::move(ran->verdict);
  }
  Verdict verdict;
  verdict.detail = std::move(wrong.front());
  return verdict;
}

// The counters stay on until the device is needed for something else: turning to them is what costs most.
Result<Profiles> CudaBackend::profile(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                                      const std::string& metrics, bool cold_l2) {
  WT_CHECK(ensure_memory());
  if (!counters_) counters_ = make_counter_source(device_->driver(), device_->provider, device_->info.limits);
  if (!counters_->why_not().empty()) return Profiles{{}, {}, counters_->why_not()};
  auto names = counters_->resolve(metrics, setup_->problem.dtype);
  if (!names) return Profiles{{}, {}, names.error().message};
  auto passes = counters_->passes(*names);
  if (!passes) return Profiles{{}, {}, passes.error().message};
  // Loaded, launched once and verified, as for a round: what is wrong is not worth counting.
  WT_TRY(auto wrong, prepare_finalists(configs, compiled));
  std::vector<ProfiledWork> works;
  std::vector<std::size_t> counted;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const LoadedCandidate& candidate = *finalists_[config_text(setup_->kernel.spec, configs[i])];
    if (!candidate.plan.has_program()) {
      if (wrong[i].empty())
        wrong[i] = fmt::format("its kernels are those of a library ({}), whose counters are not read",
                               candidate.plan.library_calls.front().name());
      continue;
    }
    counted.push_back(i);
    ProfiledWork& work = works.emplace_back();
    work.run = [&candidate](CUstream stream) { return candidate.sequence.enqueue(stream); };
    work.prepare = [this, &candidate](CUstream stream) {
      const CUresult restored = memory_->restore(stream);
      if (restored != CUDA_SUCCESS) return restored;
      return memory_->poison(candidate.plan, stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    };
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
  if (!nvml->energy_mj()) return Power{{}, "this device does not count its energy"};
  WT_TRY(auto wrong, prepare_finalists({config}, {compiled}));
  if (!wrong.front().empty()) return fail(ErrorKind::no_candidate, wrong.front());
  const LoadedCandidate& candidate = *finalists_[config_text(setup_->kernel.spec, config)];
  PowerMeter meter(device_->driver(), *nvml);
  auto reading = meter.measure(candidate.work(*memory_, false), window_s, device_->stream.get());
  if (!reading) {
    const RunFailure failure = describe_failure(*device_, reading.error(), meter.deadline_s);
    return fail(ErrorKind::internal, failure.evidence);
  }
  if (!(reading->energy_mj > 0)) return Power{{}, "the device's energy counter does not move"};
  return Power{*reading, {}};
}

Result<Verdict> CudaBackend::check(const Config& config, const Problem& problem, std::uint64_t seed) {
  if (!setup_) return fail(ErrorKind::internal, "no kernel was set before a check");
  WT_CHECK(open_device());
  if (auto invalid = check_config(setup_->kernel.spec, problem, device_->info, config))
    return fail(ErrorKind::no_candidate, *invalid);
  auto memory = ProblemMemory::open(*device_, setup_->kernel, problem, seed, cache_);
  if (!memory && memory_ && !device_->hung) {
    // Both may not fit: the tuned problem's buffers come back when they are asked for.
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
  if (device_->hung) { // still running on them
    (void)candidate.release();
    (void)memory->release();
  }
  Verdict failed;
  failed.detail = fmt::format("{}: {}", status_name(verdict.error().status), verdict.error().evidence);
  return failed;
}

} // namespace

Result<std::unique_ptr<Backend>> make_cuda_backend(int ordinal, const std::string& cache_directory) {
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(ordinal, cache_directory));
}

} // namespace warptune
