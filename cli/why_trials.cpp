#include "cli/why_trials.h"

#include "cli/device_choice.h"
#include "core/device.h"
#include "db/spec_reader.h"
#include "plan/plan.h"
#include "predict/counter_facts.h"
#include "recording/recorded_params.h"
#include "recording/recording.h"
#include "report/roofs_of_result.h"
#include "report/source_profile.h"
#include "spec/config.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace warptune::cli {
namespace {

bool concerns(const SessionIdentity& i, const Asked& asked, const DeviceInfo& device, bool cold_l2) {
  return i.problem == asked.key() && i.source_hash == asked.kernel.source_hash && i.device_name == device.name &&
         i.cold_l2 == cold_l2;
}

// The result whose winner is shown; `recorded`: only of replayed sessions.
Result<std::optional<BestRecord>> find_best(const Reader* database, const Asked& asked, const DeviceInfo& device,
                                            bool cold_l2, bool recorded) {
  if (database == nullptr) return std::optional<BestRecord>{};
  WT_TRY(const auto results, database->best_of_problem(asked.kernel.spec.name, asked.key()));
  for (const BestRecord& best : results)
    if (best.source_hash == asked.kernel.source_hash && best.device_name == device.name && best.cold_l2 == cold_l2 &&
        best.objective == Objective::time && (!recorded || is_recorded_device(best.device_backend)))
      return std::optional<BestRecord>(best);
  return std::optional<BestRecord>{};
}

// The device as the database describes it, including the roofs.
DeviceInfo stored_device(const Reader& database, const SessionIdentity& identity, const DeviceInfo& otherwise) {
  if (const auto devices = database.devices())
    for (const DeviceInfo& device : *devices)
      if (device.name == identity.device_name && device.uuid == identity.device_uuid &&
          device.backend == identity.device_backend)
        return device;
  return otherwise;
}

// The device may have been measured again since; the result is judged by the roofs of its time.
Result<void> take_roofs_of(const Reader& database, const SessionIdentity& identity, const BestRecord& best,
                           const Asked& asked, DeviceInfo& device) {
  WT_TRY(const auto cost, estimate_cost(asked.kernel.spec, asked.problem, device));
  WT_TRY(const auto stored, database.roofs_of(identity));
  if (const auto found = report::roofs_of_result(stored, best, cost)) device.roofs = found->roofs;
  return {};
}

Error nothing_measured(const Asked& asked, const DeviceInfo& device, bool cold_l2, const Reader* database) {
  return {
      database == nullptr ? ErrorKind::database : ErrorKind::no_candidate,
      fmt::format("{} no {} results of {} {} on {} from the present sources; tune the problem first (`warptune tune`), "
                  "choose a recording with --device recorded, or measure two configurations on a GPU with --profile",
                  database == nullptr ? "there is no database, so there are" : "the database has",
                  cold_l2 ? "cold-L2" : "warm-L2", asked.kernel.spec.name, short_problem(asked.key()), device.name)};
}

// Of several sessions, the first that has samples of a configuration counts.
Result<void> add_samples(const Reader& database, RowId session, MeasuredTrials& out) {
  WT_TRY(const auto stored, database.source_samples(session));
  for (const auto& [config, text] : stored) {
    const auto found = out.by_config.find(config);
    if (found == out.by_config.end() || found->second.samples) continue;
    if (auto profile = report::parse_source_profile(text))
      found->second.samples = std::move(profile->samples);
    else
      out.notes.push_back(fmt::format("session {}, {}: {}", session, config, profile.error().message));
  }
  return {};
}

Result<MeasuredTrials> load_stored(const Asked& asked, const std::string& device, bool cold_l2,
                                   const Reader* database) {
  MeasuredTrials out;
  WT_TRY(auto chosen, choose_device(device, {}, database, {asked.kernel.spec.name, asked.key()}));
  out.device = std::move(chosen.info);
  if (database == nullptr) return fail(nothing_measured(asked, out.device, cold_l2, database));
  WT_TRY(out.best, find_best(database, asked, out.device, cold_l2, false));
  WT_TRY(auto sessions, database->sessions(asked.kernel.spec.name));
  std::erase_if(sessions, [&](const SessionRecord& s) { return !concerns(s.identity, asked, out.device, cold_l2); });
  if (out.best)
    std::stable_partition(sessions.begin(), sessions.end(),
                          [&](const SessionRecord& s) { return s.id == out.best->session; });
  SpecReader reader(*database, asked.kernel.spec);
  for (const SessionRecord& session : sessions) {
    WT_TRY(auto trials, reader.trials(session.id));
    for (SpecTrial& trial : trials) {
      if (!trial.config) continue;
      trial.row.trial.config = std::move(*trial.config);
      out.by_config.try_emplace(trial.row.config,
                                MeasuredTrial{std::move(trial.row.trial), fmt::format("session {}", session.id)});
    }
    WT_CHECK(add_samples(*database, session.id, out));
  }
  if (out.by_config.empty()) return fail(nothing_measured(asked, out.device, cold_l2, database));
  out.device = stored_device(*database, sessions.front().identity, out.device);
  if (out.best) {
    out.winner = out.best->config;
    WT_CHECK(take_roofs_of(*database, sessions.front().identity, *out.best, asked, out.device));
  }
  return out;
}

bool has_stalls(const Trial& trial) { return trial.profile && !counter_facts(trial.profile->counters).stalls.empty(); }

// The fastest; if its stalls were not counted, the fastest one with stalls that cannot be distinguished from it.
const Trial* winner_of(const Recording& recording) {
  const auto fastest_below = [&](double limit_us, bool stalls) {
    const Trial* fastest = nullptr;
    for (const Trial& trial : recording.trials)
      if (trial.status == TrialStatus::ok && trial.timing && trial.timing->median_us > 0 &&
          trial.timing->ci_low_us <= limit_us && (!stalls || has_stalls(trial)) &&
          (fastest == nullptr || trial.timing->median_us < fastest->timing->median_us))
        fastest = &trial;
    return fastest;
  };
  const Trial* fastest = fastest_below(std::numeric_limits<double>::infinity(), false);
  if (fastest == nullptr) return nullptr;
  const Trial* counted = fastest_below(fastest->timing->ci_high_us, true);
  return counted != nullptr ? counted : fastest;
}

Result<MeasuredTrials> load_recorded(const Asked& asked, const std::string& device, bool cold_l2,
                                     const Reader* database) {
  const KernelSpec& spec = asked.kernel.spec;
  WT_TRY(auto recording, find_recording(recordings_of(device), spec.name, asked.key()));
  if (!adopt_params(spec, recording))
    return fail(ErrorKind::bad_input, fmt::format("the params in the recording of {0} differ from those that the "
                                                  "kernel has now; tune {0} again, and record the new "
                                                  "session with `warptune record`",
                                                  spec.name));
  if (recording.cold_l2 != cold_l2)
    return fail(ErrorKind::bad_input,
                fmt::format("the recording was made with a {} L2 cache; {} --warm-l2",
                            recording.cold_l2 ? "cold" : "warm", recording.cold_l2 ? "leave out" : "add"));
  MeasuredTrials out;
  out.device = recording.device;
  out.device.backend = kReplayBackend;
  if (recording.source_hash != asked.kernel.source_hash)
    out.notes.push_back(fmt::format(
        "the recording was made from other sources of {}, so its values may not hold for the present sources",
        spec.name));
  out.notes.push_back("recorded, not measured now: on " + origin_text(recording));
  if (const Trial* winner = winner_of(recording)) out.winner = config_text(spec, winner->config);
  for (Trial& trial : recording.trials) {
    const std::string text = config_text(spec, trial.config);
    out.by_config.try_emplace(text, MeasuredTrial{std::move(trial), "the recording"});
  }
  WT_TRY(out.best, find_best(database, asked, out.device, cold_l2, true));
  if (out.best && out.by_config.contains(out.best->config))
    out.winner = out.best->config;
  else
    out.best.reset();
  return out;
}

} // namespace

Result<MeasuredTrials> load_measured(const Asked& asked, const std::string& device, bool cold_l2,
                                     const Reader* database) {
  return is_recorded_device(device) ? load_recorded(asked, device, cold_l2, database)
                                    : load_stored(asked, device, cold_l2, database);
}

} // namespace warptune::cli
