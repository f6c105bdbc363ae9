#include "cluster/run_jobs.h"

#include "core/sha256.h"
#include "plan/plan.h"
#include "predict/roofline.h"
#include "predict/theoretical_roofs.h"
#include "tuner/budget_meter.h"
#include "tuner/built_candidates.h"
#include "tuner/ledger.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace warptune {
namespace {

constexpr double kSecondsPerTrial = 0.03;
constexpr double kLaunchesPerTrial = 100;

std::string identity_text(const SweepJob& job) {
  const SessionOptions& o = job.options;
  const KernelSpec& spec = job.kernel->spec;
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{} {} {} {} {} {} {} {} {}\n{}\n", spec.name, job.kernel->source_hash,
                     problem_key(spec, job.problem), strategy_identity(o), ending_text(o.budget, o.stop_rules), o.seed,
                     o.measure.cold_l2, objective_name(o.objective), o.finalists, o.rounds, o.racing,
                     static_cast<int>(o.profile), o.energy, o.baseline, o.metrics);
}

double cost_of(const SweepJob& job, const DeviceInfo& device) {
  SessionOptions options = job.options;
  options.device = device.backend;
  std::vector<std::string> ignored;
  const auto space = session_space(*job.kernel, job.problem, device, options, ignored);
  if (!space) return 0;
  const auto tried = static_cast<double>(BudgetMeter(options.budget, {}, space->size(), 0).limit());
  const auto cost = estimate_cost(job.kernel->spec, job.problem, device);
  const Roofs roofs = device.roofs.measured ? device.roofs : theoretical_roofs(device);
  const double launch_s = cost ? roofline_point(*cost, roofs, 0).floor_us * 1e-6 : 0;
  const double seconds = tried * (kSecondsPerTrial + kLaunchesPerTrial * launch_s);
  return options.budget.seconds > 0 ? std::min(seconds, options.budget.seconds) : seconds;
}

} // namespace

std::string jobs_digest(const std::vector<SweepJob>& jobs) {
  std::string all;
  for (const SweepJob& job : jobs) all += identity_text(job);
  return sha256_hex(all);
}

std::vector<RunJob> list_jobs(const std::vector<SweepJob>& jobs, const DeviceInfo& device) {
  std::vector<RunJob> listed;
  for (const SweepJob& job : jobs)
    listed.push_back({job.kernel->spec.name, problem_key(job.kernel->spec, job.problem), cost_of(job, device)});
  return listed;
}

std::vector<std::size_t> longest_first(const std::vector<RunJob>& jobs) {
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return jobs[a].cost_s > jobs[b].cost_s; });
  return order;
}

std::string model_key(const DeviceInfo& device) {
  return sha256_hex(fmt::format("{}\n{}\n{}\n{}", device.backend, device.name, device.arch, device.limits.sm_count))
      .substr(0, 8);
}

} // namespace warptune
