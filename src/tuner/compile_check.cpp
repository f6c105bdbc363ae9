#include "tuner/compile_check.h"

#include "jit/cached_compile.h"
#include "jit/kernel_parameters.h"
#include "jit/program_checks.h"
#include "plan/compile_request.h"
#include "plan/program_symbol.h"
#include "search/permutation.h"
#include "tuner/built_candidates.h"
#include "worker/trial_of.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <poll.h>
#include <set>
#include <tuple>
#include <utility>

namespace warptune {
namespace {

constexpr std::uint64_t kMaxLooks = 20000; // configurations, to find values that the sample lacks
constexpr int kStopPollMs = 100;

using Made = Result<LaunchPlan> (*)(const KernelSpec&, const Problem&, const DeviceInfo&);
using Request = Result<CompileRequest> (*)(const KernelSpec&, const SourceFiles&, const Problem&, const DeviceInfo&,
                                           const LaunchPlan&);

// Empty: it compiles, and its launches pass the arguments that it takes. Error: no compiler.
Result<std::string> why_not_compiled(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                                     const SessionOptions& options, Made make, Request request_of) {
  const auto plan = make(kernel.spec, problem, device);
  if (!plan) return plan.error().message;
  if (!plan->has_program()) return std::string();
  const auto request = request_of(kernel.spec, kernel.sources, problem, device, *plan);
  if (!request) return request.error().message;
  WT_TRY(const auto compiled, compile_cached(CubinCache(options.cache_directory), *request, options.compile_timeout_s));
  if (!compiled) return compiled.error().log;
  return why_arguments_do_not_fit(*plan, *compiled).value_or("");
}

// Adds the compiler's figures for a configuration that can be launched, or the launch bounds that it exceeds.
void add_figures(const Kernel& kernel, const Problem& problem, const DeviceInfo& device, const CubinCache& cache,
                 CheckedConfig& checked) {
  for (std::size_t i = 0; i < kernel.spec.implementations.size(); ++i)
    checked.is_default = checked.is_default || checked.config == default_config(kernel.spec, i);
  const TrialStatus status = checked.compiled.status;
  if (status != TrialStatus::ok && status != TrialStatus::invalid) return;
  if (checked.compiled.cubin_hash.empty()) return;
  auto plan = make_plan(kernel.spec, problem, checked.config, device);
  const auto cubin = cache.find(checked.compiled.cubin_hash);
  if (!plan || !cubin || !*cubin) return;
  adapt_launches(*plan, (*cubin)->lowered_names);
  if (status == TrialStatus::invalid) {
    checked.exceeds_bounds = why_block_exceeds_bounds(*plan, **cubin).value_or("");
    return;
  }
  checked.unfilled_constants = unfilled_constants(**cubin);
  checked.warnings = find_warnings((*cubin)->log);
  for (const KernelLaunch& launch : plan->launches) {
    const std::size_t at = kernel_index(*plan, launch);
    CheckedLaunch figures{launch.name_expression, needs_of(*plan, launch, (*cubin)->resources), {}, 0, std::nullopt};
    figures.occupancy = estimate_occupancy(figures.needs, device.limits);
    if (at < (*cubin)->resources.size() && at < (*cubin)->lowered_names.size()) {
      figures.spill_bytes = (*cubin)->resources[at].spill_bytes;
      figures.spills = find_spills((*cubin)->log, (*cubin)->lowered_names[at]);
    }
    checked.launches.push_back(std::move(figures));
  }
  std::stable_sort(checked.launches.begin(), checked.launches.end(), is_worse);
}

class Check {
 public:
  Check(CompileQueue& queue, std::vector<Config> configs, const std::function<void(const Progress&)>& show)
      : queue_(queue), configs_(std::move(configs)), results_(configs_.size()), show_(show) {
    progress_.phase = "compiling";
    progress_.total = static_cast<std::int64_t>(configs_.size());
  }

  Result<std::vector<CheckedConfig>> run(const std::atomic<bool>& stop) {
    for (std::size_t i = 0; i < configs_.size(); ++i) queue_.submit({static_cast<std::int64_t>(i), configs_[i]});
    show_(progress_);
    while (progress_.done < progress_.total && !stop) {
      pollfd ready{queue_.descriptor(), POLLIN, 0};
      ::poll(&ready, 1, kStopPollMs);
      WT_TRY(const auto finished, queue_.take());
      for (const Compilation& one : finished) put(one);
    }
    std::vector<CheckedConfig> out;
    for (auto& result : results_)
      if (result) out.push_back(std::move(*result));
    return out;
  }

 private:
  void put(const Compilation& one) {
    const auto at = static_cast<std::size_t>(one.ticket);
    results_[at] = CheckedConfig{configs_[at], one.compiled, false, {}, {}, {}, {}};
    ++progress_.done;
    ++progress_.by_status[one.compiled.status];
    const Trial trial = trial_of(configs_[at], one.compiled);
    progress_.last = &trial;
    progress_.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    progress_.eta_s = progress_.elapsed_s / static_cast<double>(progress_.done) *
                      static_cast<double>(progress_.total - progress_.done);
    show_(progress_);
    progress_.last = nullptr;
  }

  CompileQueue& queue_;
  std::vector<Config> configs_;
  std::vector<std::optional<CheckedConfig>> results_;
  const std::function<void(const Progress&)>& show_;
  Progress progress_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace

bool is_worse(const CheckedLaunch& a, const CheckedLaunch& b) {
  return std::tuple(-a.spill_bytes, a.occupancy.share, -a.needs.registers) <
         std::tuple(-b.spill_bytes, b.occupancy.share, -b.needs.registers);
}

std::vector<Config> sample_configs(const KernelSpec& spec, const SearchSpace& space, std::int64_t count,
                                   std::uint64_t seed) {
  const auto size = static_cast<std::uint64_t>(space.size());
  const std::uint64_t wanted = count > 0 ? std::min(static_cast<std::uint64_t>(count), size) : size;
  std::vector<Config> chosen;
  std::set<ConfigIndex> taken;
  std::set<std::pair<std::size_t, std::int64_t>> values;
  const auto take = [&](ConfigIndex index) {
    if (chosen.size() >= wanted || !taken.insert(index).second) return;
    chosen.push_back(space.config(index));
    for (std::size_t p = 0; p < chosen.back().size(); ++p) values.emplace(p, chosen.back()[p]);
  };
  for (std::size_t i = 0; i < spec.implementations.size(); ++i)
    if (const auto index = space.find(default_config(spec, i))) take(*index);
  const Permutation order(size, seed);
  for (std::uint64_t i = 0; i < std::min(size, kMaxLooks) && wanted < size; ++i) {
    const auto index = static_cast<ConfigIndex>(order(i));
    const Config config = space.config(index);
    for (std::size_t p = 0; p < config.size(); ++p)
      if (values.count({p, config[p]}) == 0) {
        take(index);
        break;
      }
  }
  for (std::uint64_t i = 0; i < size && chosen.size() < wanted; ++i) take(static_cast<ConfigIndex>(order(i)));
  return chosen;
}

Result<CompileCheck> check_compiles(CompilePool& pool, const Kernel& kernel, const Problem& problem,
                                    const DeviceInfo& device, const SessionOptions& options, std::int64_t sample,
                                    const std::function<void(const Progress&)>& show, const std::atomic<bool>& stop) {
  CompileCheck check;
  WT_TRY(const auto builders, allowed_builders(kernel, options, &stop));
  WT_TRY(const auto space, session_space(kernel, problem, device, options, check.notes));
  const WorkerCommand compiler{options.worker_executable, compiling_device("cuda"), options.cache_directory.string()};
  const auto queue = pool.open(compiler, {kernel, problem, options.seed, builders}, options.compile_timeout_s);
  queue->set_device(device);
  queue->set_all_wanted(true);
  auto configs = sample_configs(kernel.spec, space, sample, options.seed);
  check.valid = space.size();
  check.sampled = static_cast<std::int64_t>(configs.size());
  WT_TRY(check.configs, Check(*queue, std::move(configs), show).run(stop));
  for (CheckedConfig& one : check.configs)
    add_figures(kernel, problem, device, CubinCache(options.cache_directory), one);
  if (stop) return check;
  WT_TRY(check.reference_error,
         why_not_compiled(kernel, problem, device, options, make_reference_plan, make_reference_request));
  if (check.reference_error.empty() && kernel.spec.prepare) {
    WT_TRY(check.reference_error,
           why_not_compiled(kernel, problem, device, options, make_prepare_plan, make_prepare_request));
  }
  return check;
}

} // namespace warptune
