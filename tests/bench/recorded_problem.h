// A recorded sweep as a search sees it: the space, what each configuration took, and what can be known beforehand.
#pragma once

#include "core/expected_time.h"
#include "jit/template_store.h"
#include "search/counters.h"
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
  CostEstimate cost() const { return estimate_cost(spec(), problem(), recording().device).value_or(CostEstimate{}); }
  // Of the configurations that the recording holds counters of.
  std::vector<CountedElsewhere::Counted> counted() const {
    std::vector<CountedElsewhere::Counted> out;
    const CostEstimate here = cost();
    for (const Trial& trial : recording().trials)
      if (trial.profile)
        if (const auto demand = counted_demand(counter_facts(trial.profile->counters), here))
          out.push_back({config_text(spec(), trial.config), *demand});
    return out;
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
inline HintTarget hint_target(const RecordedProblem& here, bool prior) {
  const Recording& r = here.recording();
  HintTarget target{here.spec(), here.space(), here.problem(), r.device.name, r.device.arch, r.source_hash, true, {}};
  if (prior) target.handicap = [&](ConfigIndex i) { return here.model().handicap(here.space().config(i)); };
  return target;
}

inline std::vector<TunedElsewhere> tuned_elsewhere(const RecordedProblem& here, const std::vector<RecordedProblem>& all,
                                                   bool prior) {
  constexpr std::size_t kGood = 8;
  std::vector<TunedElsewhere> elsewhere;
  for (const RecordedProblem& p : all) {
    if (&p == &here || p.recording().kernel != here.recording().kernel) continue;
    const DeviceInfo& device = p.recording().device;
    TunedElsewhere& there = elsewhere.emplace_back(
        TunedElsewhere{p.problem(), device.name, device.arch, p.recording().source_hash, true, {}});
    const auto ranking = p.ranking();
    for (std::size_t i = 0; i < std::min(kGood, ranking.size()); ++i) {
      const Config config = p.space().config(ranking[i].second);
      there.good.push_back(
          {config_text(p.spec(), config), ranking[i].first / p.best_us(), prior ? p.model().handicap(config) : 0});
    }
  }
  return elsewhere;
}

inline std::shared_ptr<const CounterFeatures> counters_of(const RecordedProblem& here,
                                                          const std::vector<RecordedProblem>& all) {
  const HintTarget target = hint_target(here, false);
  std::vector<CountedElsewhere> elsewhere;
  for (const RecordedProblem& p : all) {
    if (&p == &here || p.recording().kernel != here.recording().kernel) continue;
    const DeviceInfo& device = p.recording().device;
    const TunedElsewhere there{p.problem(), device.name, device.arch, p.recording().source_hash, true, {}};
    elsewhere.push_back({likeness(there, target), p.counted()});
  }
  return std::make_shared<CounterFeatures>(here.spec(), here.space(), here.cost(), here.recording().device, elsewhere);
}

inline Knowledge knowledge_of(const RecordedProblem& here, const std::vector<RecordedProblem>& all,
                              const KnowledgeParts& parts) {
  Knowledge out;
  const TimeModel& model = here.model();
  const SearchSpace& space = here.space();
  if (parts.features)
    out.add_features(model.features().names(),
                     [&](ConfigIndex i, std::span<double> values) { model.features().fill(space.config(i), values); });
  if (parts.prior) out.expected_log_time = [&](ConfigIndex i) { return model.expected_log_time(space.config(i)); };
  if (parts.counters)
    if (const auto counters = counters_of(here, all); !counters->empty())
      out.add_features(CounterFeatures::names(),
                       [counters](ConfigIndex i, std::span<double> values) { counters->fill(i, values); });
  if (parts.hints) out.hints = make_hints(tuned_elsewhere(here, all, parts.prior), hint_target(here, parts.prior));
  return out;
}

} // namespace warptune::bench
