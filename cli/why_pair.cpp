#include "cli/why_pair.h"

#include "cli/config_choice.h"
#include "cli/stored_profile.h"
#include "plan/plan.h"
#include "predict/counter_facts.h"
#include "predict/theoretical_roofs.h"
#include "report/finals_ratio.h"
#include "report/resource_times.h"
#include "spec/config.h"
#include "tuner/built_candidates.h"
#include "tuner/run.h"

#include <fmt/format.h>

namespace warptune::cli {
namespace {

constexpr const char* kMetrics = "roofline,stalls";

bool has_time(const WhySideData& side) {
  return side.trial.status == TrialStatus::ok && side.trial.timing && side.trial.timing->median_us > 0;
}
// All that kMetrics counts: work of every resource, and stalls.
bool has_counters(const WhySideData& side) { return !lacks_counters(side); }

// "best" is the winner of the measured configurations; "default" is the configuration with which the finals compared
// the winner.
Result<NamedConfig> resolve(const std::string& name, const Asked& asked, const MeasuredTrials& measured,
                            const Reader* database, std::vector<std::string>& notes) {
  const auto known = [&](const std::string& text, const char* what) -> std::optional<NamedConfig> {
    const auto found = measured.by_config.find(text);
    if (found == measured.by_config.end()) return std::nullopt;
    return NamedConfig{found->second.trial.config, what};
  };
  if (name == "best" && !measured.winner.empty())
    if (auto config = known(measured.winner, measured.best ? "the winner" : "among the fastest in the recording"))
      return std::move(*config);
  if (name == "default") {
    if (measured.best && !measured.best->default_config.empty())
      if (auto config = known(measured.best->default_config, "the default")) return std::move(*config);
    return NamedConfig{default_config(asked.kernel.spec, asked.problem, measured.device), "the default"};
  }
  return find_config(name, asked, measured.device, database, notes);
}

WhySideData side_of(NamedConfig config, const Asked& asked, const MeasuredTrials& measured) {
  WhySideData side;
  side.text = config_text(asked.kernel.spec, config.config);
  side.config = std::move(config);
  if (const auto found = measured.by_config.find(side.text); found != measured.by_config.end()) {
    side.trial = found->second.trial;
    side.origin = found->second.origin;
    side.samples = found->second.samples;
  }
  // Counters with a cold L2 do not explain a time with a warm one.
  if (side.trial.profile && side.trial.timing && side.trial.profile->cold_l2 != side.trial.timing->cold_l2)
    side.trial.profile.reset();
  return side;
}

Result<void> measure(const Asked& asked, const CountOptions& options, const Reader* database, bool is_timed,
                     WhySideData& side, WhyPair& pair) {
  WT_TRY(auto builders, builders_for_run(asked.kernel, side.config.config, options.allow_build, database));
  WT_TRY(auto report, run_selected(asked.kernel, asked.problem, side.config.config,
                                   {options.device, {}, kMetrics, options.cold_l2, std::move(builders)}));
  if (!report.verdict.correct)
    return fail(ErrorKind::no_candidate, fmt::format("{} is wrong: {}", side.text, report.verdict.detail));
  if (report.device.roofs.measured) pair.device.roofs = report.device.roofs;
  if (is_timed) {
    side.origin = "this run";
    side.trial.status = TrialStatus::ok;
    side.trial.timing = report.timing;
    side.trial.resources = report.resources;
  }
  if (!report.profile) {
    pair.notes.push_back(fmt::format("no counters of {}: {}", side.text, report.no_counters));
    return {};
  }
  if (side.trial.profile && !is_timed) report.profile->counters.merge(side.trial.profile->counters);
  side.trial.profile = report.profile;
  auto stored = store_profile(options.database, database, asked, report.device,
                              {side.text, report.profile->cold_l2, {report.profile, {}, {}}});
  pair.notes.push_back(
      fmt::format("counters of {}: {}", side.text, stored ? *stored : "not stored: " + stored.error().message));
  return {};
}

Error not_measured(const WhySideData& side, const char* label) {
  const Trial& trial = side.trial;
  if (trial.config.empty() && trial.status == TrialStatus::invalid)
    return {
        ErrorKind::no_candidate,
        fmt::format("{} was not measured: {}; tune again, or measure it with --profile on a GPU", label, side.text)};
  return {ErrorKind::no_candidate, fmt::format("{} has no time, because it failed ({}): {}: {}", label,
                                               status_name(trial.status), side.text, trial.evidence)};
}

// Takes times and ratio from the rounds of the finals, if they compared these two.
bool take_finals(const MeasuredTrials& measured, WhyPair& pair) {
  if (!measured.best) return false;
  const BestRecord& best = *measured.best;
  const bool forward = pair.a.text == best.config && pair.b.text == best.default_config;
  const bool backward = pair.b.text == best.config && pair.a.text == best.default_config;
  const auto finals = report::ratio_of_finals(best);
  if ((!forward && !backward) || !finals) return false;
  pair.a.time_us = forward ? best.median_us : best.default_us;
  pair.b.time_us = forward ? best.default_us : best.median_us;
  const Ratio& r = finals->ratio;
  pair.ratio = forward ? r : Ratio{1 / r.value, 1 / r.high, 1 / r.low};
  pair.ratio_origin = finals->measured;
  return true;
}

void take_trials(WhyPair& pair) {
  const Timing &a = *pair.a.trial.timing, &b = *pair.b.trial.timing;
  pair.a.time_us = a.median_us;
  pair.b.time_us = b.median_us;
  pair.ratio = ratio_of(b.median_us, {b.ci_low_us, b.ci_high_us}, a.median_us, {a.ci_low_us, a.ci_high_us});
  pair.ratio_origin = fmt::format(
      "one after the other, not interleaved, in {}",
      pair.a.origin == pair.b.origin ? pair.a.origin : fmt::format("{} (A) and {} (B)", pair.a.origin, pair.b.origin));
  for (const WhySideData* side : {&pair.a, &pair.b})
    if (!side->trial.timing->complete)
      pair.notes.push_back(
          fmt::format("{} was slow, so its timing was ended early and its time is approximate", side->text));
}

} // namespace

bool lacks_counters(const WhySideData& side) {
  if (!side.trial.profile) return true;
  report::Work work;
  work.counters = counter_facts(side.trial.profile->counters);
  return work.counters->stalls.empty() || !report::uncounted(work).empty();
}

Result<WhyPair> choose_pair(const Asked& asked, const std::vector<std::string>& names, const MeasuredTrials& measured,
                            const Reader* database) {
  WhyPair pair;
  pair.device = measured.device;
  pair.notes = measured.notes;
  if (names.empty() && measured.winner.empty())
    return fail(ErrorKind::bad_input, "there is no winner yet; name two configurations, or tune the problem first");
  WT_TRY(auto a, resolve(names.empty() ? "best" : names.front(), asked, measured, database, pair.notes));
  WT_TRY(auto b, resolve(names.empty() ? "default" : names.back(), asked, measured, database, pair.notes));
  pair.a = side_of(std::move(a), asked, measured);
  pair.b = side_of(std::move(b), asked, measured);
  if (pair.a.text == pair.b.text && names.empty())
    return fail(ErrorKind::no_candidate,
                fmt::format("the winner is the default, {}; name two configurations", pair.a.text));
  if (pair.a.text == pair.b.text)
    return fail(ErrorKind::bad_input,
                fmt::format("both are the same configuration, {}; name two different ones", pair.a.text));
  return pair;
}

Result<void> measure_missing(const Asked& asked, const CountOptions& options, const Reader* database, WhyPair& pair) {
  const bool is_timed = !has_time(pair.a) || !has_time(pair.b);
  for (WhySideData* side : {&pair.a, &pair.b})
    if (is_timed || !has_counters(*side)) WT_CHECK(measure(asked, options, database, is_timed, *side, pair));
  return {};
}

Result<void> complete_pair(const Asked& asked, const MeasuredTrials& measured, WhyPair& pair) {
  if (!has_time(pair.a)) return fail(not_measured(pair.a, "A"));
  if (!has_time(pair.b)) return fail(not_measured(pair.b, "B"));
  for (WhySideData* side : {&pair.a, &pair.b}) {
    WT_TRY(const auto plan, make_plan(asked.kernel.spec, asked.problem, side->config.config, pair.device));
    side->launches = report::launch_facts(plan, side->trial.resources, pair.device.limits);
    side->library_calls = library_calls_of(asked, side->config.config, pair.device);
  }
  if (!take_finals(measured, pair)) take_trials(pair);
  if (!pair.device.roofs.measured) {
    pair.device.roofs = theoretical_roofs(pair.device);
    pair.notes.emplace_back(
        "no roof was measured on this device; its roofs are theoretical (`warptune roofs` measures them)");
  }
  return {};
}

} // namespace warptune::cli
