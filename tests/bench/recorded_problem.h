// A recorded sweep as a search sees it: the space, what each configuration took, and what can be known beforehand.
#pragma once

#include "core/expected_time.h"
#include "jit/template_store.h"
#include "search/hints.h"
#include "tuner/recording.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warptune::bench {

class RecordedProblem {
 public:
  static Result<RecordedProblem> load(const std::string& file) {
    auto recording = load_recording(file);
    if (!recording) return tl::make_unexpected(recording.error());
    auto kernel = TemplateStore::standard().load(recording->kernel);
    if (!kernel) return tl::make_unexpected(kernel.error());
    RecordedProblem out;
    auto facts = std::make_shared<Facts>();
    facts->recording = std::move(*recording);
    facts->kernel = std::move(*kernel);
    auto problem = parse_problem_key(facts->kernel.spec, facts->recording.problem);
    if (!problem) return tl::make_unexpected(problem.error());
    facts->problem = std::move(*problem);
    auto space = SearchSpace::build(facts->kernel.spec, facts->problem, facts->recording.device);
    if (!space) return tl::make_unexpected(space.error());
    facts->space = std::move(*space);
    facts->model = std::make_unique<TimeModel>(facts->kernel.spec, facts->problem, facts->recording.device);
    for (const Trial& trial : facts->recording.trials)
      if (const auto index = facts->space.find(trial.config)) facts->trials.emplace(*index, &trial);
    out.facts_ = std::move(facts);
    return out;
  }

  std::string name() const { return recording().kernel + " " + recording().problem; }
  const Recording& recording() const { return facts_->recording; }
  const SearchSpace& space() const { return facts_->space; }
  const KernelSpec& spec() const { return facts_->kernel.spec; }
  const Problem& problem() const { return facts_->problem; }
  const TimeModel& model() const { return *facts_->model; }

  // 0: it failed, or is not in the recording.
  double time_us(ConfigIndex index) const {
    const auto found = facts_->trials.find(index);
    if (found == facts_->trials.end() || found->second->status != TrialStatus::ok || !found->second->timing) return 0;
    return found->second->timing->median_us;
  }
  double compile_s(ConfigIndex index) const { return of(index, &Trial::compile_ms) / 1e3; }
  double measure_s(ConfigIndex index) const {
    return (of(index, &Trial::verify_ms) + of(index, &Trial::measure_ms)) / 1e3;
  }
  // Of the correct configurations, the fastest first.
  std::vector<std::pair<double, ConfigIndex>> ranking() const {
    std::vector<std::pair<double, ConfigIndex>> out;
    for (ConfigIndex i = 0; i < space().size(); ++i)
      if (const double us = time_us(i); us > 0) out.emplace_back(us, i);
    std::sort(out.begin(), out.end());
    return out;
  }
  std::vector<double> times_us() const {
    std::vector<double> out;
    for (const auto& [us, index] : ranking()) out.push_back(us);
    return out;
  }
  double best_us() const { return ranking().front().first; }

 private:
  struct Facts {
    Recording recording;
    Kernel kernel;
    Problem problem;
    SearchSpace space;
    std::unique_ptr<TimeModel> model;
    std::map<ConfigIndex, const Trial*> trials;
  };
  double of(ConfigIndex index, double Trial::*what) const {
    const auto found = facts_->trials.find(index);
    return found == facts_->trials.end() ? 0 : found->second->*what;
  }
  std::shared_ptr<const Facts> facts_;
};

// As gather_knowledge, with the other recordings of the kernel in place of a database.
inline Knowledge knowledge_of(const RecordedProblem& here, const std::vector<RecordedProblem>& all,
                              const KnowledgeParts& parts) {
  constexpr std::size_t kGood = 8;
  Knowledge out;
  const TimeModel& model = here.model();
  const SearchSpace& space = here.space();
  if (parts.features) {
    out.feature_names = model.features().names();
    out.features = [&](ConfigIndex i, std::span<double> values) { model.features().fill(space.config(i), values); };
  }
  if (parts.prior) out.expected_log_time = [&](ConfigIndex i) { return model.expected_log_time(space.config(i)); };
  if (!parts.hints) return out;
  const auto source = [](const RecordedProblem& p) { return p.recording().source_hash; };
  HintTarget target{
      here.spec(), space, here.problem(), here.recording().device.name, here.recording().device.arch, source(here),
      true,        {}};
  if (parts.prior) target.handicap = [&](ConfigIndex i) { return model.handicap(space.config(i)); };
  std::vector<TunedElsewhere> elsewhere;
  for (const RecordedProblem& p : all) {
    if (&p == &here || p.recording().kernel != here.recording().kernel) continue;
    const DeviceInfo& device = p.recording().device;
    TunedElsewhere& there =
        elsewhere.emplace_back(TunedElsewhere{p.problem(), device.name, device.arch, source(p), true, {}});
    const auto ranking = p.ranking();
    for (std::size_t i = 0; i < std::min(kGood, ranking.size()); ++i) {
      const Config config = p.space().config(ranking[i].second);
      there.good.push_back({config_text(p.spec(), config), ranking[i].first / p.best_us(),
                            parts.prior ? p.model().handicap(config) : 0});
    }
  }
  out.hints = make_hints(elsewhere, target);
  return out;
}

} // namespace warptune::bench
