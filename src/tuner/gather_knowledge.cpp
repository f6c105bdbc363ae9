#include "tuner/gather_knowledge.h"

#include "db/spec_reader.h"
#include "search/hints.h"
#include "spec/nearest_config.h"
#include "tuner/ledger.h"
#include "tuner/recorded_results.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace warptune {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kSources = 8; // results that hints are taken from: the most similar ones

// The results of the kernel that existed when the session began and were not disqualified.
Result<std::vector<SpecBest>> earlier_results(SpecReader& reader, const KnowledgeRequest& request) {
  WT_TRY(auto results, reader.best());
  std::string began_at;
  if (request.session != 0) {
    SessionIdentity identity = request.identity;
    for (std::string& spelling : strategy_spellings(request.identity.strategy)) {
      identity.strategy = std::move(spelling);
      WT_TRY(auto session, reader.reader().find_session(identity));
      if (session && session->id == request.session) began_at = session->started_at;
    }
  }
  std::erase_if(results, [&](const SpecBest& result) {
    const BestRecord& row = result.row;
    const bool later = request.session != 0 && (row.session >= request.session || row.created_at > began_at);
    return later || !row.disqualified.empty() || !(row.median_us > 0) || row.config.empty();
  });
  return results;
}

const DeviceInfo* find_device(const std::vector<DeviceInfo>& devices, const BestRecord& row) {
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const DeviceInfo& d) {
    return d.backend == row.device_backend && d.name == row.device_name && d.uuid == row.device_uuid;
  });
  return found == devices.end() ? nullptr : &*found;
}

// An earlier result of the kernel, with the trials of its session.
struct Source {
  TunedElsewhere there;
  const SpecBest* best;
  double likeness;
  std::vector<SpecTrial> trials; // in the order of measurement
};

// Adds the winner of a session, then its fastest trials. A winner by energy is ranked among them by its time.
void add_good(Source& source, const KnowledgeRequest& request, const DeviceInfo* device) {
  TunedElsewhere& there = source.there;
  const BestRecord& row = source.best->row;
  std::vector<const SpecTrial*> trials;
  for (const SpecTrial& t : source.trials)
    if (t.row.trial.status == TrialStatus::ok && t.row.trial.timing) trials.push_back(&t);
  const auto us = [](const SpecTrial* t) { return t->row.trial.timing->median_us; };
  std::stable_sort(trials.begin(), trials.end(), [&](const SpecTrial* a, const SpecTrial* b) { return us(a) < us(b); });
  const bool by_time = row.objective == Objective::time || trials.empty();
  const double best_us = by_time ? row.median_us : us(trials.front());
  const KernelSpec& spec = request.kernel.spec;
  std::optional<TimeModel> model;
  if (request.parts.prior && device != nullptr) model.emplace(spec, there.problem, *device);
  const auto add = [&](const std::string& text, const Result<Config>& config, double relative_time) {
    double slowdown = 0;
    if (model) slowdown = model->knows_times() && config ? model->expected_log_slowdown(*config) : kUnknown;
    there.good.push_back({config ? *config : nearest_config(spec, text), relative_time, slowdown});
  };
  if (by_time) add(row.config, source.best->config, 1);
  for (const SpecTrial* t : trials)
    if (there.good.size() < kGoodConfigs && !(by_time && t->row.config == row.config))
      add(t->row.config, t->config, std::max(1.0, us(t) / best_us));
}

HintTarget target_of(const KnowledgeRequest& request) {
  const SessionIdentity& identity = request.identity;
  return {request.kernel.spec, request.space,        request.problem,  identity.device_name,
          identity.arch,       identity.source_hash, identity.cold_l2, {}};
}

// The most similar results, with their trials.
Result<std::vector<Source>> read_sources(SpecReader& reader, const KnowledgeRequest& request,
                                         const std::vector<SpecBest>& results) {
  const HintTarget here = target_of(request);
  std::vector<Source> sources;
  for (const SpecBest& result : results) {
    if (!result.problem) continue;
    const BestRecord& row = result.row;
    TunedElsewhere there{*result.problem, row.device_name, row.arch, row.source_hash, row.cold_l2, {}};
    const double like = likeness(there, here);
    sources.push_back({std::move(there), &result, like, {}});
  }
  std::stable_sort(sources.begin(), sources.end(),
                   [](const Source& a, const Source& b) { return a.likeness > b.likeness; });
  if (sources.size() > kSources) sources.resize(kSources);
  for (Source& source : sources) {
    WT_TRY(auto trials, reader.trials(source.best->row.session));
    source.trials = std::move(trials);
  }
  return sources;
}

// Adds the most similar results in the database.
Result<void> add_stored(const KnowledgeRequest& request, std::vector<TunedElsewhere>& out) {
  std::error_code error;
  const auto file = request.database.empty() ? database_path({}) : request.database; // as Ledger::open chooses the file
  if (!std::filesystem::exists(file, error)) return {};
  WT_TRY(const auto reader, Reader::open(file));
  SpecReader typed(reader, request.kernel.spec);
  WT_TRY(const auto results, earlier_results(typed, request));
  WT_TRY(const auto devices, reader.devices());
  WT_TRY(auto sources, read_sources(typed, request, results));
  for (Source& source : sources) {
    add_good(source, request, find_device(devices, source.best->row));
    out.push_back(std::move(source.there));
  }
  return {};
}

// Recordings take the places that results leave. A replayed recording would be its own hint, so shipped recordings give
// hints only to sessions on a GPU.
void add_shipped(const KnowledgeRequest& request, std::vector<TunedElsewhere>& out) {
  if (!request.recordings || request.device.backend != "cuda") return;
  auto shipped = shipped_results(request.kernel, target_of(request), request.parts.prior,
                                 kSources - std::min(kSources, out.size()));
  std::move(shipped.begin(), shipped.end(), std::back_inserter(out));
}

Result<void> add_hints(const KnowledgeRequest& request, const std::shared_ptr<const TimeModel>& model, Knowledge& out) {
  std::vector<TunedElsewhere> elsewhere;
  auto stored = add_stored(request, elsewhere);
  add_shipped(request, elsewhere);
  HintTarget here = target_of(request);
  if (request.parts.prior && model->knows_times())
    here.expected_log_slowdown = [&](ConfigIndex index) {
      return model->expected_log_slowdown(request.space.config(index));
    };
  out.hints = make_hints(elsewhere, here);
  return stored;
}

} // namespace

void tell_model(const std::shared_ptr<const TimeModel>& model, const SearchSpace& space, const KnowledgeParts& parts,
                Knowledge& out) {
  if (!parts.prior || !model->knows_times()) return;
  out.expected_by_author = [model, &space](ConfigIndex index) { return model->is_by_author(space.config(index)); };
  out.expected_log_time = [model, &space](ConfigIndex index) { return model->expected_log_time(space.config(index)); };
}

GatheredKnowledge gather_knowledge(const KnowledgeRequest& request) {
  GatheredKnowledge out;
  const auto model = std::make_shared<const TimeModel>(request.kernel.spec, request.problem, request.device);
  tell_model(model, request.space, request.parts, out.knowledge);
  if (request.parts.hints)
    if (auto earlier = add_hints(request, model, out.knowledge); !earlier)
      out.notes.push_back("earlier results gave no hints: " + earlier.error().message);
  return out;
}

} // namespace warptune
