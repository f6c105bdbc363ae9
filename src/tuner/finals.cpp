#include "tuner/finals.h"

#include "core/statistics.h"
#include "plan/program_symbol.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace warptune {
namespace {

constexpr int kMoreForEnergy = 3;
constexpr double kSignificance = 0.05;
constexpr std::size_t kMinRounds = 5; // the signed-rank test cannot reach 95 % with fewer
constexpr int kLostRounds = 3;        // in a row, without a finalist to blame
constexpr double kTieBand = 1.002;    // what the simplest of a tie may be slower than the fastest
constexpr double kEnoughMs = 2000;    // of samples: a kernel of a second does not run for minutes

// What goes wrong with a whole round is some finalist's doing: alone, each shows whether it is the one.
Result<bool> drop_culprits(DeviceWorker& device, std::vector<Finalist>& finalists, bool cold_l2) {
  bool any = false;
  for (Finalist& f : finalists) {
    if (f.status != TrialStatus::ok || f.settled) continue;
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

double time_of(const Finalist& f) { return f.samples_us.empty() ? f.explored_us : median(f.samples_us); }

// What every application may launch first, then less of a scarce resource, then an order that every run shares.
bool simpler(const Finalist& a, const Finalist& b) {
  const auto order = [](const Finalist& f) {
    const KernelResources& r = f.compiled.resources;
    return std::tuple(!f.calls.empty(), r.registers, f.shared_bytes + r.static_shared_bytes, f.threads, f.config);
  };
  return order(a) < order(b);
}

// Slower in every round, and by more in the closest one than the rounds differ: five rounds of chance do that to equals
// about once in a thousand times.
bool clearly_slower(const Finalist& f, const Finalist& best) {
  const std::size_t rounds = std::min(f.samples_us.size(), best.samples_us.size());
  if (rounds < kMinRounds) return false;
  double least = f.samples_us[0] / best.samples_us[0], most = least;
  for (std::size_t i = 1; i < rounds; ++i) {
    const double ratio = f.samples_us[i] / best.samples_us[i];
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  return least - 1 > most - least;
}

bool is_running(const Finalist& f) { return f.status == TrialStatus::ok && !f.settled; }

void settle_losers(std::vector<Finalist>& finalists) {
  const Finalist* best = nullptr;
  for (const Finalist& f : finalists)
    if (is_running(f) && (!best || time_of(f) < time_of(*best))) best = &f;
  for (Finalist& f : finalists)
    if (is_running(f) && &f != best) f.settled = clearly_slower(f, *best);
}

// Whoever was wrong on the round's data is out; true if somebody was.
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

void count_round(std::vector<Finalist>& finalists, const std::vector<std::size_t>& order, const Round& round) {
  for (std::size_t k = 0; k < order.size(); ++k) finalists[order[k]].samples_us.push_back(round.samples_us[k]);
}

std::vector<float> samples_of(const Finalist& f, Objective objective) {
  if (objective == Objective::time) return f.samples_us;
  std::vector<float> samples;
  for (const float mj : f.energy_mj)
    samples.push_back(static_cast<float>(objective_value(objective, time_of(f), double{mj})));
  return samples;
}

double p_better(const Finalist& a, const Finalist& b, Objective objective) {
  const std::vector<float> of_a = samples_of(a, objective), of_b = samples_of(b, objective);
  return of_a.size() < kMinRounds ? 1.0 : paired_p_faster(of_a, of_b);
}

const char* better_text(Objective objective) {
  if (objective == Objective::time) return "faster than the default";
  return objective == Objective::energy ? "less energy than the default" : "less energy x time than the default";
}

const char* best_text(Objective objective) { return objective == Objective::time ? "fastest" : "best"; }

std::string p_text(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", p); }

} // namespace

void describe_launches(std::vector<Finalist>& finalists, CandidatePlans& plans, const CubinCache& cubins,
                       const Kernel& kernel, const Problem& problem, const DeviceInfo& device) {
  for (Finalist& f : finalists) {
    const auto found = plans.find(kernel.spec, problem, f.config, device);
    if (!found) continue; // its compilation will say so
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
    if (!book.at(index).timing->complete && index != default_index) continue; // racing dropped it: its time is a guess
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
  double spent_ms = 0;
  std::vector<std::pair<std::vector<std::size_t>, Round>> throttled; // in case no other rounds can be had
  for (int attempt = 0, lost = 0; report.rounds < rounds && report.throttled <= rounds; ++attempt) {
    if (stop) {
      report.stopped = true;
      return report;
    }
    std::vector<std::size_t> order; // rotated, so that no finalist always follows the same one
    for (std::size_t i = 0; i < finalists.size(); ++i)
      if (is_running(finalists[i])) order.push_back(i);
    if (order.empty()) return report;
    const bool enough = report.rounds >= static_cast<int>(kMinRounds);
    if (enough && (order.size() == 1 || spent_ms >= kEnoughMs)) return report;
    std::rotate(order.begin(), order.begin() + attempt % static_cast<std::ptrdiff_t>(order.size()), order.end());
    RoundTask task;
    task.cold_l2 = cold_l2;
    for (const std::size_t i : order) {
      task.configs.push_back(finalists[i].config);
      task.compiled.push_back(finalists[i].compiled);
    }
    WT_TRY(auto answer, device.ask(task));
    const auto* round = answer ? std::get_if<Round>(&*answer) : nullptr;
    if (!round || round->samples_us.size() != order.size()) {
      WT_TRY(auto culprit, drop_culprits(device, finalists, cold_l2));
      lost = culprit ? 0 : lost + 1;
      if (lost >= kLostRounds) return report;
      continue;
    }
    lost = 0;
    if (drop_wrong(finalists, order, *round)) continue;
    for (const float us : round->samples_us) spent_ms += us / 1e3;
    if (round->throttled) {
      ++report.throttled;
      throttled.emplace_back(order, *round);
      continue;
    }
    count_round(finalists, order, *round);
    settle_losers(finalists);
    after_round(++report.rounds);
  }
  if (throttled.empty() || report.rounds >= std::min(rounds, static_cast<int>(kMinRounds))) return report;
  // A load that always runs into the power limit: its rounds are interleaved all the same.
  report.kept_throttled = true;
  for (const auto& [order, round] : throttled) {
    count_round(finalists, order, round);
    ++report.rounds;
  }
  return report;
}

double objective_of(const Finalist& f, Objective objective) {
  return objective_value(objective, time_of(f), median(f.energy_mj));
}

std::optional<Decision> decide(std::span<const Finalist> finalists, Objective objective) {
  std::vector<std::size_t> in;
  std::size_t readings = objective == Objective::time ? 0 : 1;
  for (const Finalist& f : finalists)
    if (f.status == TrialStatus::ok && readings > 0) readings = std::max(readings, f.energy_mj.size());
  for (std::size_t i = 0; i < finalists.size(); ++i)
    if (finalists[i].status == TrialStatus::ok && finalists[i].energy_mj.size() >= readings) in.push_back(i);
  if (in.empty()) return std::nullopt;
  const auto value = [&](std::size_t i) { return objective_of(finalists[i], objective); };
  const auto p_beats = [&](std::size_t a, std::size_t b) { return p_better(finalists[a], finalists[b], objective); };
  const auto better = [&](std::size_t a, std::size_t b) {
    const double x = value(a), y = value(b);
    return x != y ? x < y : simpler(finalists[a], finalists[b]);
  };
  const std::size_t first = *std::min_element(in.begin(), in.end(), better);
  const auto found = std::find_if(in.begin(), in.end(), [&](std::size_t i) { return finalists[i].is_default; });
  const bool has_default = found != in.end();
  const std::size_t standard = has_default ? *found : 0;

  Decision d;
  for (const std::size_t i : in)
    if (i == first || p_beats(first, i) >= kSignificance) d.tie_set.push_back(i);
  d.certified = samples_of(finalists[first], objective).size() >= kMinRounds;
  const bool default_ties = has_default && std::find(d.tie_set.begin(), d.tie_set.end(), standard) != d.tie_set.end();
  if (default_ties) {
    d.winner = standard;
  } else {
    // The simplest of the tie set that is itself proven better than the default; the first is.
    d.winner = first;
    for (const std::size_t i : d.tie_set)
      if ((!has_default || p_beats(i, standard) < kSignificance) && value(i) <= kTieBand * value(first) &&
          simpler(finalists[i], finalists[d.winner]))
        d.winner = i;
  }

  const Finalist& winner = finalists[d.winner];
  d.median_us = time_of(winner);
  const Interval interval =
      winner.samples_us.empty() ? Interval{d.median_us, d.median_us} : median_interval(winner.samples_us);
  d.ci_low_us = interval.low;
  d.ci_high_us = interval.high;
  if (!has_default) {
    const bool runs = std::any_of(finalists.begin(), finalists.end(),
                                  [](const Finalist& f) { return f.is_default && f.status == TrialStatus::ok; });
    d.outcome = runs ? "the default's energy is not known, so there is nothing to compare with"
                     : "the default is not among the correct configurations, so there is nothing to compare with";
    return d;
  }
  d.default_us = time_of(finalists[standard]);
  if (d.winner != standard) {
    d.p_value = p_beats(d.winner, standard);
    d.outcome = fmt::format("{:.2f} times {} ({})", value(standard) / value(d.winner), better_text(objective),
                            p_text(d.p_value));
  } else if (standard == first) {
    d.outcome = "the default is the best";
  } else if (d.certified) {
    d.outcome = fmt::format("not distinguishable from the default ({} for the {}), so the default stays",
                            p_text(p_beats(first, standard)), best_text(objective));
  } else {
    d.outcome = "too few rounds to tell any configuration from the default, so the default stays";
  }
  return d;
}

} // namespace warptune
