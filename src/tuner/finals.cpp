#include "tuner/finals.h"

#include "core/device.h"
#include "plan/program_symbol.h"
#include "tuner/paired_rounds.h"

#include <algorithm>
#include <array>
#include <utility>

namespace warptune {
namespace {

constexpr int kMoreForEnergy = 3;
constexpr std::size_t kLostRounds = 3; // lost rounds in a row with no finalist at fault
constexpr double kEnoughMs = 2000;     // time of samples; limits the finals of a kernel that takes seconds
// Times differ more between processes than within one, because the clock at the start and the addresses of the buffers
// differ. Therefore several processes share the rounds that always run, and also the rounds of close decisions.
constexpr std::array kFirstRounds{0, 2, 4, 9}; // number of rounds before each process starts

// A round that fails as a whole does not name the finalist at fault, so each finalist runs in a round of its own.
Result<bool> drop_culprits(DeviceWorker& device, std::vector<Finalist>& finalists, const RoundPlan& plan,
                           bool cold_l2) {
  bool any = false;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    Finalist& f = finalists[i];
    if (std::find(plan.places.begin(), plan.places.end(), i) == plan.places.end()) continue;
    WT_TRY(auto answer, device.ask(RoundTask{{f.config}, {f.compiled}, cold_l2}));
    if (answer && std::holds_alternative<Round>(*answer)) continue;
    any = true;
    if (!answer) {
      f.status = status_of(answer.error());
      f.evidence = "in the finals: " + answer.error().evidence;
    } else {
      const auto* error = std::get_if<Error>(&*answer);
      f.status = TrialStatus::launch_failed;
      f.evidence = "in the finals: " + (error ? error->message : std::string("unexpected reply"));
    }
  }
  return any;
}

Result<void> compile_finalists(DeviceWorker& device, const DeviceInfo& info, std::vector<Finalist>& finalists,
                               double timeout_s) {
  for (Finalist& f : finalists) {
    WT_TRY(auto answer, device.ask(CompileTask{f.config, info, timeout_s}, timeout_s > 0 ? 2 * timeout_s : 0));
    const auto* compiled = answer ? std::get_if<Compiled>(&*answer) : nullptr;
    if (compiled && compiled->no_verdict) return fail(ErrorKind::internal, compiled->evidence);
    if (compiled) f.compiled = *compiled;
    if (compiled && compiled->status == TrialStatus::ok) continue;
    f.status = compiled ? compiled->status : TrialStatus::crashed;
    f.evidence = "compiled again for the finals: " + (compiled  ? compiled->evidence
                                                      : !answer ? answer.error().evidence
                                                                : "failed");
  }
  return {};
}

// Disqualifies the finalists with wrong results on the round's data. Returns whether there were any.
bool drop_wrong(std::vector<Finalist>& finalists, const std::vector<std::size_t>& order, const Round& round) {
  bool any = false;
  for (std::size_t k = 0; k < std::min(order.size(), round.wrong.size()); ++k) {
    if (round.wrong[k].empty()) continue;
    any = true;
    finalists[order[k]].status = TrialStatus::wrong_result;
    finalists[order[k]].evidence = "in the finals, on fresh data: " + round.wrong[k];
  }
  return any;
}

RoundTask task_of(const std::vector<Finalist>& finalists, const RoundPlan& plan, bool cold_l2) {
  RoundTask task;
  task.cold_l2 = cold_l2;
  task.idle_us = plan.idle_us;
  for (const std::size_t i : plan.places) {
    task.configs.push_back(finalists[i].config);
    task.compiled.push_back(finalists[i].compiled);
  }
  return task;
}

// The rounds so far.
struct Count {
  PairedRounds paired = {};
  double spent_ms = 0;                                  // the sum of their samples
  std::size_t processes = 0;                            // processes that ran the rounds
  std::vector<std::pair<RoundPlan, Round>> faulty = {}; // used if there are too few others
};

void count_round(std::vector<Finalist>& finalists, const RoundPlan& plan, const Round& round, Count& count,
                 FinalsReport& report) {
  count.paired.count(finalists, plan, round.samples_us);
  report.device.push_back(round.device);
  ++report.rounds;
}

// Rounds with another reference cannot be compared with earlier rounds, so the count starts again.
void begin_anew(std::vector<Finalist>& finalists, Count& count, FinalsReport& report) {
  for (Finalist& f : finalists) {
    f.samples_us.clear();
    f.level_us.clear();
    f.settled = false;
  }
  count = {};
  report = {};
}

} // namespace

void describe_launches(std::vector<Finalist>& finalists, CandidatePlans& plans, const CubinCache& cubins,
                       const Kernel& kernel, const Problem& problem, const DeviceInfo& device) {
  for (Finalist& f : finalists) {
    const auto found = plans.find(kernel.spec, problem, f.config, device);
    if (!found) continue; // the finalist's compilation reports the error
    LaunchPlan plan = **found;
    if (kernel.spec.implementation(f.config).build)
      if (const auto program = cubins.find(f.compiled.cubin_hash); program && *program)
        adapt_launches(plan, (*program)->lowered_names);
    for (const LibraryCallPlan& call : plan.library_calls) f.calls += (f.calls.empty() ? "" : ", ") + call.name();
    for (const KernelLaunch& launch : plan.launches) {
      f.shared_bytes = std::max<std::int64_t>(f.shared_bytes, launch.shared_bytes);
      f.threads = std::max<std::int64_t>(f.threads, std::int64_t{launch.block.x} * launch.block.y * launch.block.z);
    }
  }
}

std::vector<ConfigIndex> choose_finalists(const TrialBook& book, std::optional<ConfigIndex> default_index, int count,
                                          Objective objective) {
  if (objective != Objective::time) count *= kMoreForEnergy;
  std::vector<std::pair<double, ConfigIndex>> ranking;
  for (const auto& [index, trial] : book)
    if (trial.status == TrialStatus::ok && trial.timing) ranking.emplace_back(trial.timing->median_us, index);
  std::sort(ranking.begin(), ranking.end());
  std::vector<ConfigIndex> chosen;
  bool default_ran = false, default_chosen = false;
  for (const auto& [us, index] : ranking) {
    default_ran |= index == default_index;
    if (static_cast<int>(chosen.size()) >= std::max(count, 1) || us > ranking.front().first * finalist_band(objective))
      continue;
    if (!book.at(index).timing->complete && index != default_index) continue; // stopped early: its time is an estimate
    default_chosen |= index == default_index;
    chosen.push_back(index);
  }
  if (chosen.empty() && !ranking.empty()) chosen.push_back(ranking.front().second);
  if (default_ran && !default_chosen && chosen.front() != *default_index) chosen.push_back(*default_index);
  return chosen;
}

Result<FinalsReport> run_finals(DeviceWorker& device, const DeviceInfo& info, std::vector<Finalist>& finalists,
                                int rounds, double compile_timeout_s, const std::function<void(int)>& after_round,
                                const std::atomic<bool>& stop, bool cold_l2) {
  FinalsReport report;
  WT_CHECK(compile_finalists(device, info, finalists, compile_timeout_s));
  const bool is_live = !is_recorded_device(info.backend);
  std::optional<std::size_t> reference = is_live ? choose_reference(finalists) : std::nullopt;
  Count count;
  for (std::size_t attempt = 0, lost = 0; report.rounds < rounds && report.throttled <= rounds; ++attempt) {
    if (stop) {
      report.stopped = true;
      return report;
    }
    if (reference && finalists[*reference].status != TrialStatus::ok) {
      reference = choose_reference(finalists);
      begin_anew(finalists, count, report);
    }
    const auto running =
        std::count_if(finalists.begin(), finalists.end(), [](const Finalist& f) { return f.is_running(); });
    if (running == 0) return report;
    const bool enough = report.rounds >= static_cast<int>(kMinRounds);
    if (enough && (running == 1 || count.spent_ms >= kEnoughMs)) return report;
    if (is_live && count.processes < kFirstRounds.size() && report.rounds == kFirstRounds[count.processes]) {
      if (count.processes > 0) device.renew();
      ++count.processes;
    }
    const bool is_capped = !report.device.empty() && is_at_power_cap(report.device.back().throttle_reasons);
    const RoundPlan plan = plan_round(finalists, reference, attempt, is_capped);
    WT_TRY(auto answer, device.ask(task_of(finalists, plan, cold_l2)));
    const auto* round = answer ? std::get_if<Round>(&*answer) : nullptr;
    if (!round || round->samples_us.size() != plan.places.size()) {
      WT_TRY(auto culprit, drop_culprits(device, finalists, plan, cold_l2));
      lost = culprit ? 0 : lost + 1;
      if (lost >= kLostRounds) return report;
      continue;
    }
    lost = 0;
    if (drop_wrong(finalists, plan.places, *round)) continue;
    for (const float us : round->samples_us) count.spent_ms += us / 1e3;
    if (const std::uint64_t reasons = fault_reasons(round->device.throttle_reasons); reasons != 0) {
      ++report.throttled;
      report.fault_reasons |= reasons;
      count.faulty.emplace_back(plan, *round);
      continue;
    }
    count_round(finalists, plan, *round, count, report);
    settle_losers(finalists);
    after_round(report.rounds);
  }
  if (count.faulty.empty() || report.rounds >= std::min(rounds, static_cast<int>(kMinRounds))) return report;
  // The device throttles too often for enough other rounds. The faulty rounds are also interleaved, so they count.
  report.kept_throttled = true;
  const auto faulty = std::move(count.faulty);
  for (const auto& [plan, round] : faulty) count_round(finalists, plan, round, count, report);
  return report;
}

} // namespace warptune
