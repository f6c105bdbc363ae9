#include "tuner/gather_knowledge.h"

#include "core/expected_time.h"
#include "db/reader.h"
#include "search/hints.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace warptune {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kSources = 8; // problems that hints are taken from, those most alike
constexpr std::size_t kGood = 8;    // configurations of each; with more the hints of 19 recordings got worse

// The results of the kernel that were there when the session began and that nothing speaks against.
Result<std::vector<BestRecord>> earlier_results(const Reader& reader, const KnowledgeRequest& request) {
  auto rows = reader.best(request.identity.kernel);
  if (!rows) return rows;
  std::string began_at;
  if (request.session != 0) {
    auto session = reader.find_session(request.identity);
    if (!session) return tl::make_unexpected(session.error());
    if (*session && (*session)->id == request.session) began_at = (*session)->started_at;
  }
  std::erase_if(*rows, [&](const BestRecord& row) {
    const bool later = request.session != 0 && (row.session >= request.session || row.created_at > began_at);
    return later || !row.disqualified.empty() || !(row.median_us > 0) || row.config.empty();
  });
  return rows;
}

const DeviceInfo* find_device(const std::vector<DeviceInfo>& devices, const BestRecord& row) {
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const DeviceInfo& d) {
    return d.backend == row.device_backend && d.name == row.device_name && d.uuid == row.device_uuid;
  });
  return found == devices.end() ? nullptr : &*found;
}

// The winner of a session, then its fastest trials. One that won by energy stands among them by its time.
Result<void> add_good(TunedElsewhere& there, const Reader& reader, const KnowledgeRequest& request,
                      const BestRecord& row, const DeviceInfo* device) {
  auto trials = reader.trials(row.session);
  if (!trials) return tl::make_unexpected(trials.error());
  std::erase_if(*trials, [](const TrialRow& t) { return t.trial.status != TrialStatus::ok || !t.trial.timing; });
  std::stable_sort(trials->begin(), trials->end(), [](const TrialRow& a, const TrialRow& b) {
    return a.trial.timing->median_us < b.trial.timing->median_us;
  });
  const bool by_time = row.objective == Objective::time || trials->empty();
  const double best_us = by_time ? row.median_us : trials->front().trial.timing->median_us;
  if (by_time) there.good.push_back({row.config, 1});
  for (const TrialRow& t : *trials)
    if (there.good.size() < kGood && !(by_time && t.config == row.config))
      there.good.push_back({t.config, std::max(1.0, t.trial.timing->median_us / best_us)});
  if (!request.parts.prior || device == nullptr) return {};
  const TimeModel model(request.kernel.spec, there.problem, *device);
  for (TunedElsewhere::Good& good : there.good) {
    const auto config = model.knows_times() ? parse_config(request.kernel.spec, good.config) : Result<Config>();
    good.handicap = model.knows_times() && config ? model.handicap(*config) : kUnknown;
  }
  return {};
}

Result<std::vector<Hint>> gather_hints(const KnowledgeRequest& request, const TimeModel& model) {
  std::error_code error;
  const auto file = request.database.empty() ? database_path({}) : request.database; // as Ledger::open
  if (!std::filesystem::exists(file, error)) return std::vector<Hint>();
  const auto reader = Reader::open(file);
  if (!reader) return tl::make_unexpected(reader.error());
  const auto rows = earlier_results(*reader, request);
  if (!rows) return tl::make_unexpected(rows.error());
  const auto devices = reader->devices();
  if (!devices) return tl::make_unexpected(devices.error());

  const SessionIdentity& identity = request.identity;
  HintTarget here{request.kernel.spec, request.space,        request.problem,  identity.device_name,
                  identity.arch,       identity.source_hash, identity.cold_l2, {}};
  if (request.parts.prior && model.knows_times())
    here.handicap = [&](ConfigIndex index) { return model.handicap(request.space.config(index)); };
  struct Source {
    TunedElsewhere there;
    const BestRecord* row;
    double likeness;
  };
  std::vector<Source> sources;
  for (const BestRecord& row : *rows)
    if (auto problem = parse_problem_key(request.kernel.spec, row.problem)) {
      TunedElsewhere there{std::move(*problem), row.device_name, row.arch, row.source_hash, row.cold_l2, {}};
      const double like = likeness(there, here);
      sources.push_back({std::move(there), &row, like});
    }
  std::stable_sort(sources.begin(), sources.end(),
                   [](const Source& a, const Source& b) { return a.likeness > b.likeness; });
  if (sources.size() > kSources) sources.resize(kSources);
  std::vector<TunedElsewhere> elsewhere;
  for (Source& source : sources) {
    if (auto added = add_good(source.there, *reader, request, *source.row, find_device(*devices, *source.row)); !added)
      return tl::make_unexpected(added.error());
    elsewhere.push_back(std::move(source.there));
  }
  return make_hints(elsewhere, here);
}

} // namespace

GatheredKnowledge gather_knowledge(const KnowledgeRequest& request) {
  GatheredKnowledge out;
  const auto model = std::make_shared<const TimeModel>(request.kernel.spec, request.problem, request.device);
  const SearchSpace& space = request.space;
  if (request.parts.features) {
    out.knowledge.feature_names = model->features().names();
    out.knowledge.features = [model, &space](ConfigIndex index, std::span<double> values) {
      model->features().fill(space.config(index), values);
    };
  }
  if (request.parts.prior && model->knows_times())
    out.knowledge.expected_log_time = [model, &space](ConfigIndex index) {
      return model->expected_log_time(space.config(index));
    };
  if (request.parts.hints) {
    if (auto hints = gather_hints(request, *model))
      out.knowledge.hints = std::move(*hints);
    else
      out.notes.push_back("earlier results gave no hints: " + hints.error().message);
  }
  return out;
}

} // namespace warptune
