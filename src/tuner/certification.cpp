#include "tuner/certification.h"

#include "core/device.h"
#include "tuner/baseline.h"
#include "tuner/energy.h"
#include "tuner/failures.h"
#include "tuner/final_device.h"
#include "tuner/final_verification.h"
#include "tuner/finals.h"
#include "tuner/winner_checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace warptune {
namespace {

// If faster trials are disqualified one after another, at some point any correct finalist is good enough. Finals are
// also repeated while all finalists are wrong, which this does not limit.
constexpr int kMaxFinals = 4;

std::vector<Finalist> make_finalists(SessionWork& work) {
  std::vector<Finalist> finalists;
  const SessionOptions& options = work.options;
  std::vector<ConfigIndex> chosen =
      choose_finalists(work.book, work.default_index, options.finalists, options.objective);
  add_baselines(chosen, work.book, work.kernel.spec, work.baselines);
  add_without_calls(chosen, work.book, work.kernel.spec);
  for (const ConfigIndex index : chosen) {
    const Trial& trial = work.book.at(index);
    Finalist& f = finalists.emplace_back();
    f.index = index;
    f.config = trial.config;
    f.is_default = index == work.default_index;
    f.explored_us = trial.timing->median_us;
    f.compiled.cubin_hash = trial.cubin_hash;
  }
  describe_launches(finalists, work.plans, CubinCache(options.cache_directory), work.kernel, work.problem,
                    work.result.device);
  return finalists;
}

Result<FinalsReport> hold_finals(SessionWork& work, std::vector<Finalist>& finalists) {
  const SessionOptions& options = work.options;
  work.now.done = 0;
  work.now.total = options.rounds;
  work.begin_phase("certifying");
  WT_TRY(const auto finals, run_finals(
                                work.device, work.result.device, finalists, options.rounds, options.compile_timeout_s,
                                [&](int round) { work.report_done(round); }, work.stop, options.measure.cold_l2));
  work.result.interrupted = finals.stopped;
  if (finals.stopped) return finals;
  for (std::string& note : device_notes(finals)) work.result.notes.push_back(std::move(note));
  return finals;
}

// Measures the energy of the finalists if it is requested. Returns the objective that they can be judged by: time, if
// the energy is not available.
Result<Objective> know_energy(SessionWork& work, std::vector<Finalist>& finalists) {
  const SessionOptions& options = work.options;
  if (options.objective == Objective::time && !options.energy) return Objective::time;
  work.now.done = 0;
  work.begin_phase("measuring energy");
  WT_TRY(auto energy, measure_energy(
                          work.device, finalists, {options.objective, options.finalists, options.evaluate_timeout_s},
                          [&](int done, int total) {
                            work.now.total = total;
                            work.report_done(done);
                          },
                          work.stop));
  work.result.interrupted = energy.stopped;
  for (const Finalist& f : finalists) {
    if (!f.power) continue;
    Trial& trial = work.book.at(f.index);
    trial.power = f.power;
    WT_CHECK(work.ledger->keep_power(work.result.session, work.kernel.spec, trial));
  }
  if (energy.unavailable.empty()) return options.objective;
  std::string note = "the energy per launch is not known: " + energy.unavailable;
  if (options.objective != Objective::time)
    note += "; the fastest configuration was chosen instead, and is not certified";
  std::vector<std::string>& notes = work.result.notes;
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  return Objective::time;
}

// A recording has only the launches that were recorded.
Result<void> verify_last(SessionWork& work, std::vector<Finalist>& finalists) {
  if (is_recorded_device(work.result.device.backend)) return {};
  work.now.done = 0;
  work.now.total =
      std::count_if(finalists.begin(), finalists.end(), [](const Finalist& f) { return f.status == TrialStatus::ok; });
  work.begin_phase("verifying the finalists");
  WT_TRY(const bool done, verify_finalists(
                              work.device, finalists, [&](int count) { work.report_done(count); }, work.stop));
  work.result.interrupted = !done;
  return {};
}

const Finalist* find_default(const std::vector<Finalist>& finalists) {
  const auto found = std::find_if(finalists.begin(), finalists.end(), [](const Finalist& f) { return f.is_default; });
  return found == finalists.end() ? nullptr : &*found;
}

Result<void> disqualify(SessionWork& work, ConfigIndex index, TrialStatus status, const std::string& evidence) {
  Trial& trial = work.book.at(index);
  work.result.notes.push_back(fmt::format("{} was disqualified: {}", work.text_of(trial.config), evidence));
  trial.status = status;
  trial.evidence = evidence;
  work.count_by_status();
  return work.ledger->disqualify(work.result.session, work.kernel.spec, trial);
}

std::vector<FinalTime> final_times(const SessionWork& work, const std::vector<Finalist>& finalists,
                                   const Finalist& winner) {
  std::vector<FinalTime> times;
  for (const Finalist& f : finalists)
    if (f.status == TrialStatus::ok) times.push_back({work.text_of(f.config), beside_winner_us(f, winner)});
  std::stable_sort(times.begin(), times.end(),
                   [](const FinalTime& a, const FinalTime& b) { return a.median_us < b.median_us; });
  return times;
}

Result<void> keep(SessionWork& work, const std::vector<Finalist>& finalists, const Decision& decision,
                  Objective judged_by, const WinnerChecks& checks, const FinalsReport& finals) {
  const Finalist& winner = finalists[decision.winner];
  SessionResult& result = work.result;
  result.roofline = roofline_point(work.cost, result.device.roofs, decision.median_us);
  result.power = winner.power;
  BestRecord& best = result.best;
  work.describe(best, winner.config, decision.median_us);
  best.ci_low_us = decision.ci_low_us;
  best.ci_high_us = decision.ci_high_us;
  best.default_us = decision.default_us;
  best.certified = decision.certified && !checks.other_sources && judged_by == work.options.objective;
  best.p_value = decision.p_value;
  best.outcome = decision.outcome;
  if (checks.other_sources)
    best.outcome += std::string("; ") + (checks.unknown_sources ? kByUnknownSources : kByOtherSources);
  const Finalist* const baseline = fastest_baseline(finalists, work.baselines);
  if (baseline != nullptr) {
    best.baseline = work.text_of(baseline->config);
    best.baseline_us = beside_winner_us(*baseline, winner);
    if (baseline != &winner)
      best.outcome += "; " + compare_with_baseline(best.baseline, best.baseline_us, decision.median_us);
  }
  if (const Finalist* const kernel = winner.calls.empty() ? nullptr : fastest_without_calls(finalists)) {
    best.without_calls = work.text_of(kernel->config);
    best.without_calls_us = beside_winner_us(*kernel, winner);
    best.outcome += "; " + compare_with_kernel(best.without_calls, best.without_calls_us, decision.median_us);
  }
  best.rounds = stored_rounds(finals, winner, find_default(finalists), baseline);
  if (!winner.calls.empty()) {
    best.outcome += "; calls " + winner.calls;
    result.notes.push_back(
        fmt::format("the winner calls {}; applications launch it only if they allow library calls (docs/runtime.md)",
                    winner.calls));
  }
  for (const std::size_t i : decision.tie_set) best.tie_set.push_back(work.text_of(finalists[i].config));
  best.finalists = final_times(work, finalists, winner);
  for (const std::size_t i : pareto_set(finalists))
    best.pareto.push_back({work.text_of(finalists[i].config), objective_of(finalists[i], Objective::time),
                           objective_of(finalists[i], Objective::energy)});
  if (winner.power) best.energy_mj = winner.power->energy_mj;
  best.checks = checks.summary;
  best.cubin_hash = winner.compiled.cubin_hash;
  return work.ledger->keep_best(best, work.options.cache_directory);
}

double lowest_clock_mhz(const FinalsReport& finals) {
  LowestClock lowest;
  for (const DeviceReadings& round : finals.device) lowest.add(round.sm_clock_mhz);
  return lowest.or_latest(0);
}

// The finalists are close to the fastest trial. If that trial is disqualified, slower trials that did not take part may
// be faster than the finalists that are left, such as a slow default.
bool has_fastest(const SessionWork& work, const std::vector<Finalist>& finalists) {
  const std::vector<ConfigIndex> fastest = choose_finalists(work.book, work.default_index, 1, work.options.objective);
  return !fastest.empty() &&
         std::any_of(finalists.begin(), finalists.end(), [&](const Finalist& f) { return f.index == fastest.front(); });
}

// Checks one winner after another until one passes. Returns false if no finalist is left or, unless `is_last`, new
// finals are necessary, because a faster trial than those that are left did not take part.
Result<bool> settle(SessionWork& work, std::vector<Finalist>& finalists, Objective judged_by,
                    const FinalsReport& finals, bool is_last) {
  for (const Finalist& f : finalists)
    if (f.status != TrialStatus::ok) WT_CHECK(disqualify(work, f.index, f.status, f.evidence));
  while (is_last || has_fastest(work, finalists)) {
    const auto decision = decide(finalists, judged_by, lowest_clock_mhz(finals));
    if (!decision) return false;
    Finalist& winner = finalists[decision->winner];
    work.begin_phase("checking the winner");
    WT_TRY(const auto checks, check_winner(work.device, work.setup, work.result.device, winner.config));
    if (checks.status == TrialStatus::ok) {
      WT_CHECK(keep(work, finalists, *decision, judged_by, checks, finals));
      return true;
    }
    winner.status = checks.status;
    WT_CHECK(disqualify(work, winner.index, checks.status, checks.evidence));
  }
  return false;
}

} // namespace

Result<void> certify(SessionWork& work) {
  for (int held = 1;; ++held) {
    std::vector<Finalist> finalists = make_finalists(work);
    if (finalists.empty()) return fail(ErrorKind::no_candidate, describe_failures(work.kernel.spec, work.book));
    WT_TRY(const auto finals, hold_finals(work, finalists));
    WT_TRY(auto judged_by, work.result.interrupted ? Objective::time : know_energy(work, finalists));
    if (!work.result.interrupted) WT_CHECK(verify_last(work, finalists));
    if (work.result.interrupted) {
      work.note_best_so_far();
      return {};
    }
    WT_TRY(auto settled, settle(work, finalists, judged_by, finals, held >= kMaxFinals));
    if (settled) return {};
  }
}

} // namespace warptune
