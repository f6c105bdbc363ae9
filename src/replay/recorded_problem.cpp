#include "replay/recorded_problem.h"

#include "recording/recorded_params.h"
#include "recording/recorded_space_file.h"
#include "search/hints.h"
#include "tuner/gather_knowledge.h"
#include "tuner/recorded_results.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

namespace warptune {

struct RecordedProblem::Facts {
  Recording recording;
  Kernel kernel;
  Problem problem;
  SearchSpace space;
  std::shared_ptr<const TimeModel> model;
  std::map<ConfigIndex, const Trial*> trials;
};

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// A recording of the same problem on the same device would reveal the optimum.
bool is_source(const RecordedProblem& there, const RecordedProblem& here) {
  const Recording &a = there.recording(), &b = here.recording();
  return a.kernel == b.kernel && (a.problem != b.problem || a.device.name != b.device.name);
}

HintTarget target(const RecordedProblem& here) {
  const Recording& r = here.recording();
  return {here.spec(), here.space(), here.problem(), r.device.name, r.device.arch, r.source_hash, r.cold_l2, {}};
}

// Recordings made before values had labels name them by number.
bool is_meant(const Param& param, std::int64_t value, const std::string& text) {
  return param.text_of(value) == text || std::to_string(value) == text;
}

// The same configuration in the problem's own space, matched by names of params and texts of values: a recording may
// order them differently.
std::vector<std::optional<ConfigIndex>> own_indices(const RecordedSpace& space, const RecordedProblem& here) {
  std::map<std::pair<std::size_t, std::string_view>, std::pair<std::size_t, std::int64_t>> known; // (param, text) there
  const std::vector<Param>& params = here.spec().params;
  for (std::size_t p = 0; p < space.params.size(); ++p)
    for (const ParamLabel& label : space.params[p].values)
      for (std::size_t own = 0; own < params.size(); ++own)
        for (const std::int64_t value : params[own].values)
          if (params[own].name == space.params[p].name && is_meant(params[own], value, label.text))
            known[{p, label.text}] = {own, value};
  std::vector<std::optional<ConfigIndex>> out;
  for (SpaceCursor at(space.space); !at.done(); at.next()) {
    Config config;
    for (const Param& param : params) config.push_back(param.default_value);
    bool all = true;
    for (std::size_t p = 0; p < at.positions().size(); ++p) {
      const auto found = known.find({p, space.params[p].values[static_cast<std::size_t>(at.positions()[p])].text});
      all = all && found != known.end();
      if (all) config[found->second.first] = found->second.second;
    }
    out.push_back(all ? here.space().find(config) : std::nullopt);
  }
  return out;
}

} // namespace

Result<RecordedProblem> RecordedProblem::load(const std::filesystem::path& file) {
  bool truncated = false;
  WT_TRY(auto text, read_plain_text(file, "recording", truncated));
  WT_TRY(auto recording, parse_recording(text, file.string()));
  auto kernel = TemplateStore::standard().load(recording.kernel);
  if (!kernel) return fail(kernel.error().kind, fmt::format("{}: {}", file.string(), kernel.error().message));
  auto facts = std::make_shared<Facts>();
  facts->recording = std::move(recording);
  facts->kernel = std::move(*kernel);
  const KernelSpec& spec = facts->kernel.spec;
  if (!adopt_params(spec, facts->recording))
    return fail(ErrorKind::bad_input,
                fmt::format("the params in {} differ from those that {} has now; make a new recording", file.string(),
                            spec.name));
  auto problem = recorded_problem(spec, facts->recording);
  if (!problem) return fail(problem.error().kind, fmt::format("{}: {}", file.string(), problem.error().message));
  facts->problem = std::move(*problem);
  auto space = SearchSpace::build(spec, facts->problem, facts->recording.device);
  if (!space) return fail(space.error().kind, fmt::format("{}: {}", file.string(), space.error().message));
  facts->space = std::move(*space);
  facts->model = std::make_shared<const TimeModel>(spec, facts->problem, facts->recording.device);
  for (const Trial& trial : facts->recording.trials)
    if (const auto index = facts->space.find(trial.config)) facts->trials.emplace(*index, &trial);
  RecordedProblem out;
  out.facts_ = std::move(facts);
  return out;
}

const Recording& RecordedProblem::recording() const { return facts_->recording; }
const KernelSpec& RecordedProblem::spec() const { return facts_->kernel.spec; }
const Problem& RecordedProblem::problem() const { return facts_->problem; }
const SearchSpace& RecordedProblem::space() const { return facts_->space; }
const std::shared_ptr<const TimeModel>& RecordedProblem::model() const { return facts_->model; }

const Trial* RecordedProblem::trial(ConfigIndex index) const {
  const auto found = facts_->trials.find(index);
  return found == facts_->trials.end() ? nullptr : found->second;
}

double RecordedProblem::time_us(ConfigIndex index) const {
  const Trial* found = trial(index);
  return found != nullptr && found->status == TrialStatus::ok && found->timing ? found->timing->median_us : 0;
}

double RecordedProblem::best_us() const { return ranking().front().first; }

std::vector<std::pair<double, ConfigIndex>> RecordedProblem::ranking() const {
  std::vector<std::pair<double, ConfigIndex>> out;
  for (const auto& [index, trial] : facts_->trials)
    if (const double us = time_us(index); us > 0) out.emplace_back(us, index);
  std::sort(out.begin(), out.end());
  return out;
}

Knowledge knowledge_of(const RecordedProblem& here, const std::vector<RecordedProblem>& all,
                       const KnowledgeParts& parts) {
  Knowledge out;
  tell_model(here.model(), here.space(), parts, out);
  if (!parts.hints) return out;
  HintTarget wanted = target(here);
  if (parts.prior)
    wanted.expected_log_slowdown = [&here](ConfigIndex i) {
      return here.model()->expected_log_slowdown(here.space().config(i));
    };
  std::vector<TunedElsewhere> sources;
  for (const RecordedProblem& p : all)
    if (is_source(p, here))
      sources.push_back(recorded_result(p.recording(), p.problem(), parts.prior ? p.model().get() : nullptr));
  out.hints = make_hints(sources, wanted);
  return out;
}

Knowledge knowledge_for(const RecordedSpace& space, const RecordedProblem& here, Knowledge known) {
  const auto own = std::make_shared<const std::vector<std::optional<ConfigIndex>>>(own_indices(space, here));
  const auto find = [own](ConfigIndex index) { return (*own)[static_cast<std::size_t>(index)]; };
  Knowledge out;
  if (known.expected_by_author)
    out.expected_by_author = [find, by_author = std::move(known.expected_by_author)](ConfigIndex index) {
      const auto there = find(index);
      return there && by_author(*there);
    };
  if (known.expected_log_time)
    out.expected_log_time = [find, expect = std::move(known.expected_log_time)](ConfigIndex index) {
      const auto there = find(index);
      return there ? expect(*there) : kUnknown;
    };
  std::unordered_map<ConfigIndex, ConfigIndex> here_of;
  for (std::size_t i = 0; i < own->size(); ++i)
    if ((*own)[i]) here_of.emplace(*(*own)[i], static_cast<ConfigIndex>(i));
  for (Hint& hint : known.hints)
    if (const auto found = here_of.find(hint.index); found != here_of.end())
      out.hints.push_back({found->second, hint.relative_time, hint.weight});
  return out;
}

} // namespace warptune
