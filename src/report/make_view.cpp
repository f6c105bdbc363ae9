#include "report/make_view.h"

#include "core/text.h"
#include "core/units.h"
#include "db/spec_reader.h"
#include "db/tuned_entries.h"
#include "predict/counter_facts.h"
#include "predict/roofline.h"
#include "predict/theoretical_roofs.h"
#include "report/baseline_name.h"
#include "report/bound.h"
#include "report/roofs.h"
#include "report/roofs_of_result.h"
#include "report/source_profile.h"
#include "space/space.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace warptune::report {
namespace {

DeviceInfo device_of(const SessionIdentity& identity, const std::vector<DeviceInfo>& devices, View& view) {
  DeviceInfo found;
  bool known = false;
  for (const DeviceInfo& device : devices)
    if (device.name == identity.device_name && device.uuid == identity.device_uuid &&
        device.backend == identity.device_backend) {
      found = device;
      known = true;
    }
  if (!known) view.notes.emplace_back("the database does not describe the device; its roofs are not known");
  found.backend = identity.device_backend;
  found.name = identity.device_name;
  found.uuid = identity.device_uuid;
  found.arch = identity.arch;
  found.driver = identity.driver;
  found.compiler = identity.compiler;
  return found;
}

struct Described {
  KernelSpec spec;
  std::optional<Problem> problem;
};

// Reads the spec as it was when tuned: summary, params and cost. nullopt if it cannot be read.
std::optional<Described> read_spec(const Reader& reader, View& view) {
  const SessionIdentity& identity = view.session.identity;
  const auto unreadable = [&](const std::string& why) -> std::optional<Described> {
    view.notes.push_back("the kernel's description cannot be used, so bytes and operations are not known: " + why);
    return std::nullopt;
  };
  const auto record = reader.kernel(identity.kernel, identity.source_hash);
  if (!record) return unreadable(record.error().message);
  if (!*record) return unreadable("the database does not contain it");
  auto spec = spec_of(**record);
  if (!spec) return unreadable(spec.error().message);
  view.summary = spec->summary;
  view.sources.files = (*record)->files;
  view.params = spec->params;
  const Result<Problem> problem = SpecReader(reader, *spec).problem(identity);
  if (!problem) {
    (void)unreadable(problem.error().message);
    return Described{std::move(*spec), std::nullopt};
  }
  view.default_config = config_text(*spec, default_config(*spec, *problem, view.device));
  auto cost = estimate_cost(*spec, *problem, view.device);
  if (cost)
    view.cost = std::move(*cost);
  else
    (void)unreadable(cost.error().message);
  return Described{std::move(*spec), *problem};
}

// Judges the result by the roofs of its session. Returns when the session's times were measured; empty: unknown.
Result<std::string> take_roofs_of_result(const Reader& reader, View& view) {
  std::optional<ResultRoofs> own;
  if (view.best && view.cost && view.best->roofline_share > 0) {
    WT_TRY(const auto stored, reader.roofs_of(view.session.identity));
    own = roofs_of_result(stored, *view.best, *view.cost);
    if (own) view.device.roofs = own->roofs;
    if (!own && stored.size() > 1)
      view.notes.emplace_back(
          "the roofs shown are newer than the result, because the roofs of its session are not known");
  }
  WT_TRY(const auto trials, reader.trial_times(view.session.id));
  return measured_at(view.session, trials, own);
}

// Shared memory per block of the largest launch. The compiler only counts the static part.
std::int64_t shared_bytes_of(const std::optional<Described>& described, const Trial& trial, const DeviceInfo& device) {
  std::int64_t dynamic = 0;
  if (described && described->problem && trial.config.size() == described->spec.params.size())
    if (const auto plan = make_plan(described->spec, *described->problem, trial.config, device))
      for (const KernelLaunch& launch : plan->launches) dynamic = std::max<std::int64_t>(dynamic, launch.shared_bytes);
  return trial.resources.static_shared_bytes + dynamic;
}

// A configuration that does not fit the spec keeps the numbers of its text.
Result<std::vector<TrialRow>> trials_with(const KernelSpec& spec, const Reader& reader, RowId session) {
  WT_TRY(auto trials, SpecReader(reader, spec).trials(session));
  std::vector<TrialRow> rows;
  for (auto& [row, config] : trials) {
    if (config) row.trial.config = std::move(*config);
    rows.push_back(std::move(row));
  }
  return rows;
}

// "VEC=4,UNROLL=2" -> VEC, UNROLL
std::vector<std::string> names_in(const std::string& config) {
  std::vector<std::string> names;
  if (config.empty()) return names;
  for (const std::string_view piece : split(config, ',')) names.emplace_back(piece.substr(0, piece.find('=')));
  return names;
}

// The params as far as the trials show them, for a view without a spec.
std::vector<Param> params_of(const std::vector<Point>& points) {
  std::vector<Param> params;
  for (const Point& point : points) {
    if (params.empty())
      for (std::string& name : names_in(point.config)) params.push_back({std::move(name), "", {}, {}, 0});
    for (std::size_t i = 0; i < params.size() && i < point.trial.config.size(); ++i) {
      auto& values = params[i].values;
      const auto place = std::lower_bound(values.begin(), values.end(), point.trial.config[i]);
      if (place == values.end() || *place != point.trial.config[i]) values.insert(place, point.trial.config[i]);
    }
  }
  return params;
}

double sum(const std::vector<std::pair<std::string, double>>& flops) {
  double total = 0;
  for (const auto& [pipe, count] : flops) total += count;
  return total;
}

double flops_of(const View& view, const CounterFacts& facts) {
  return view.cost && !view.cost->flops.empty() ? sum(view.cost->flops) : sum(facts.flops);
}

LevelPoint level_point(double bytes, Origin origin, double flops, double time_us) {
  LevelPoint point;
  if (!(bytes > 0)) return point;
  point.origin = origin;
  point.bytes = bytes;
  point.gbs = bytes / time_us * 1e-3;
  point.intensity = flops / bytes;
  return point;
}

// Counters with a cold cache do not explain a time with a warm one.
bool is_counted(const Trial& trial) {
  return trial.profile && trial.timing && trial.profile->cold_l2 == trial.timing->cold_l2;
}
CounterFacts facts_of(const Trial& trial) {
  return is_counted(trial) ? counter_facts(trial.profile->counters) : CounterFacts();
}

// Places a timed trial under the roofs.
void place(const View& view, Point& point) {
  if (!point.timed()) return;
  const double time_us = point.trial.timing->median_us;
  const CounterFacts facts = facts_of(point.trial);
  const double flops = flops_of(view, facts);
  point.tflops = flops / time_us * 1e-6;
  const auto set = [&](Level level, double bytes, Origin origin) {
    point.levels[static_cast<std::size_t>(level)] = level_point(bytes, origin, flops, time_us);
  };
  const CostEstimate traffic = dram_traffic(view.cost, facts, point.trial.timing->cold_l2);
  const bool counted = facts.dram_read_bytes || facts.dram_written_bytes;
  if (counted || view.cost)
    set(Level::dram, traffic.bytes_read + traffic.bytes_written,
        !counted                                                       ? Origin::model
        : traffic.bytes_written > facts.dram_written_bytes.value_or(0) ? Origin::mixed
                                                                       : Origin::measured);
  set(Level::l2, facts.l2_bytes.value_or(0), Origin::measured);
  set(Level::l1, facts.l1_bytes.value_or(0) + facts.shared_bytes.value_or(0), Origin::measured);
}

int find_config(const View& view, const std::string& config) {
  for (std::size_t i = 0; i < view.points.size(); ++i)
    if (view.points[i].config == config) return static_cast<int>(i);
  return -1;
}

void mark(View& view) {
  const std::string standard =
      view.best && !view.best->default_config.empty() ? view.best->default_config : view.default_config;
  view.default_point = find_config(view, standard);
  if (const std::vector<int> order = by_time(view); !order.empty()) view.fastest_point = order.front();
  if (!view.best) return;
  view.best_point = find_config(view, view.best->config);
  for (const std::string& config : view.best->tie_set)
    if (const int i = find_config(view, config); i >= 0) view.ties.push_back(i);
  for (const ParetoPoint& finalist : view.best->pareto)
    if (const int i = find_config(view, finalist.config); i >= 0) view.pareto.push_back(i);
}

// Adds the baseline that the session itself compared its winner with, beside those of a file.
void add_own_baseline(View& view) {
  if (!view.best || baseline_sentence(*view.best).empty()) return;
  view.baselines.push_back(
      {baseline_name(*view.best),
       fmt::format("{}, {} in the finals of this session; the winner is {}", view.best->baseline,
                   view.recorded() ? "compared with the winner by recorded samples, which were not interleaved,"
                                   : "interleaved with the winner",
                   baseline_sentence(*view.best)),
       view.best->baseline_us, 0, 0, view.session.identity.cold_l2});
}

void judge(View& view) {
  if (!view.best) return;
  BoundFacts facts;
  facts.time_us = view.best->median_us;
  facts.cost = view.cost;
  facts.roofs = view.device.roofs;
  facts.cold_l2 = view.session.identity.cold_l2;
  if (view.best_point >= 0) {
    const Trial& trial = view.points[static_cast<std::size_t>(view.best_point)].trial;
    facts.resources = trial.resources;
    facts.issue_roof = issue_roof(view.device, trial.timing ? trial.timing->sm_clock_mhz : 0);
    if (is_counted(trial)) {
      facts.counters = counter_facts(trial.profile->counters);
      view.stalls = facts.counters->stalls;
    }
  }
  view.bound = judge_bound(facts);
}

// Empty if the fastest one won, or if there is no winner.
std::string why_fastest_lost(const View& view) {
  if (!view.best || view.best_point < 0 || view.fastest_point < 0 || view.fastest_point == view.best_point) return {};
  const Point& fastest = view.points[static_cast<std::size_t>(view.fastest_point)];
  const bool ties = std::find(view.ties.begin(), view.ties.end(), view.fastest_point) != view.ties.end();
  const char* how = view.recorded() ? "by recorded samples, which were not interleaved" : "interleaved";
  const std::string why =
      view.session.identity.objective != Objective::time ? "the objective was not time"
      : ties
          ? fmt::format("the finals compared both again, {}, and could not distinguish them; in a tie the default "
                        "wins; without the default, the simplest configuration within 0.2 % of the fastest wins",
                        how)
          : fmt::format("a single measurement may be fast by chance; this configuration was not the fastest when the "
                        "finals compared the best configurations again, {}",
                        how);
  return fmt::format("the winner is not the trial that was fastest in the search ({} with {}): {}", fastest.config,
                     time_text(fastest.trial.timing->median_us), why);
}

Result<void> add_samples(const Reader& reader, View& view) {
  WT_TRY(const auto stored, reader.source_samples(view.session.id));
  for (const auto& [config, text] : stored) {
    const int point = find_config(view, config);
    if (point < 0) continue;
    if (auto profile = parse_source_profile(text))
      view.sampled.push_back({point, std::move(*profile)});
    else
      view.notes.push_back(fmt::format("{}: {}", config, profile.error().message));
  }
  return {};
}

// `measured_at`: empty if unknown.
void add_notes(View& view, const std::string& measured_at) {
  const auto trials = static_cast<std::int64_t>(view.points.size());
  if (view.recorded())
    view.notes.push_back("from a recording: the times were measured when the recording was made" +
                         (measured_at.empty() ? "" : ", " + measured_at));
  if (trials < view.session.space_size)
    view.notes.push_back(fmt::format("{} of {} configurations were tried", trials, view.session.space_size));
  if (view.session.state != SessionState::finished) view.notes.emplace_back("the session did not finish");
  if (!view.best) view.notes.emplace_back("there is no winner, because the finals were not run");
  if (std::string why = why_fastest_lost(view); !why.empty()) view.notes.push_back(std::move(why));
  if (view.best && !view.best->disqualified.empty())
    view.notes.push_back("the winner must no longer be used: " + view.best->disqualified);
  if (view.best && any_at_power_cap(view.best->rounds))
    view.notes.push_back("the board was at its power cap in the finals, SM clock " +
                         clock_text(clocks_of(view.best->rounds)));
  if (view.best && !view.best->stale.empty()) view.notes.push_back("stale: " + view.best->stale);
  const auto profiled =
      std::count_if(view.points.begin(), view.points.end(), [](const Point& p) { return is_counted(p.trial); });
  if (profiled == 0 && view.cost)
    view.notes.emplace_back("no counters were read, so nothing was counted: the bytes and operations are the minimum "
                            "of the problem, the same for all configurations");
  else if (profiled > 0 && profiled < trials)
    view.notes.push_back(
        fmt::format("counters were read for {}; for the others, bytes and operations come from the model",
                    count_text(profiled, "configuration")));
  if (!view.device.roofs.measured) view.notes.emplace_back("no roof was measured on this device");
}

} // namespace

Result<View> make_view(const Reader& reader, const SessionRecord& session, const std::optional<BestRecord>& best,
                       const std::vector<DeviceInfo>& devices) {
  View view;
  view.session = session;
  view.kernel = session.identity.kernel;
  view.problem = session.identity.problem;
  view.id = fmt::format("{}/{}/{}/{}", view.kernel, view.problem, session.identity.device_name, session.id);
  view.device = device_of(session.identity, devices, view);
  view.best = best;
  const std::optional<Described> described = read_spec(reader, view);
  WT_TRY(const std::string measured, take_roofs_of_result(reader, view));
  WT_TRY(auto rows, described ? trials_with(described->spec, reader, session.id) : reader.trials(session.id));
  for (TrialRow& row : rows) {
    Point point{std::move(row.trial), std::move(row.config), 0, 0, {}};
    point.shared_bytes = shared_bytes_of(described, point.trial, view.device);
    place(view, point);
    view.points.push_back(std::move(point));
  }
  if (view.params.empty()) view.params = params_of(view.points);
  std::vector<Level> levels;
  for (const Level level : kLevels)
    if (std::any_of(view.points.begin(), view.points.end(), [&](const Point& p) { return p.at(level).bytes > 0; }))
      levels.push_back(level);
  // The stored roofs may themselves be theoretical.
  const Roofs& stored = view.device.roofs;
  const Roofs theoretical = stored.measured ? theoretical_roofs(view.device) : stored;
  view.roofs = make_roofs(stored.measured ? stored : Roofs(), theoretical, view.cost, levels);
  WT_CHECK(add_samples(reader, view));
  mark(view);
  add_own_baseline(view);
  judge(view);
  add_notes(view, measured);
  return view;
}

} // namespace warptune::report
