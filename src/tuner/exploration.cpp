#include "tuner/exploration.h"

#include "core/device.h"
#include "tuner/budget_meter.h"
#include "tuner/finals.h"
#include "tuner/gather_knowledge.h"
#include "tuner/session_device.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace warptune {
namespace {

constexpr double kBeyondFinals = 1.02; // early stopping drops candidates this far above the finals' time limit

PipelineOptions pipeline_options(const SessionWork& work) {
  const SessionOptions& options = work.options;
  const double margin = kBeyondFinals * finalist_band(options.objective);
  std::vector<ConfigIndex> first = work.baselines;
  if (work.default_index) first.insert(first.begin(), *work.default_index);
  const int devices =
      options.shared != nullptr ? options.shared->devices() : 1 + static_cast<int>(work.more_devices.size());
  return {std::move(first), options.measure, options.racing, margin, {}, {}, devices, options.shared};
}

// Notes the stop rules that could not have ended the search, whatever it found.
void note_inapplicable_rules(SessionWork& work, const BudgetMeter& budget) {
  const StopRules& rules = work.options.stop_rules;
  SessionResult& result = work.result;
  const bool came_first = result.ending == Ending::target || result.ending == Ending::interrupted;
  if (rules.stop_below > 0 && !came_first && !budget.heard_forecast())
    result.notes.push_back(fmt::format("the strategy {} makes no forecast, so --stop-below could not end the search; "
                                       "choose another strategy, or leave --stop-below out",
                                       work.options.strategy));
  if (rules.target_share > 0 && !(floor_us(work) > 0))
    result.notes.emplace_back("no roof of this device is known, so a share of the roofline cannot be a target; give a "
                              "time, such as --target 120us");
}

Result<void> run_pipeline(SessionWork& work, const SearchSpace& space, Strategy& strategy) {
  SessionResult& result = work.result;
  BudgetMeter budget(work.options.budget, work.options.stop_rules, space.size(), work.spent_s);
  work.exploring_since_s = work.elapsed_s();
  PipelineOptions options = pipeline_options(work);
  // The default and the baselines run even if the budget is smaller.
  work.now.total = std::max(budget.limit(), static_cast<std::int64_t>(options.first.size()));
  options.record = [&](const Trial& trial) {
    const TraceSpan span(work.track, "record");
    return work.ledger->record(result.session, work.kernel.spec, trial, result.device);
  };
  // `done` counts the trials that this run measured, reused or took from other processes, so that it never exceeds
  // `total`.
  Pipeline* running = nullptr;
  options.progress = [&](const Trial* trial) {
    work.now.reused = running->reused();
    work.now.done = running->measured() + running->reused() + running->elsewhere();
    work.report(trial);
  };
  std::vector<DeviceWorker*> devices = work.more_devices;
  devices.insert(devices.begin(), &work.device);
  if (work.options.shared != nullptr) work.options.shared->begin(strategy.learns(), budget.limit());
  Pipeline pipeline(space, strategy, *work.compilers, devices, budget, std::move(options), work.book);
  running = &pipeline;
  pipeline.begin();
  WT_CHECK(find_roofs(work)); // while the first candidates compile
  budget.set_floor(floor_us(work));
  work.count_by_status();
  work.now.phase = is_recorded_device(work.options.device) ? "replaying" : "compiling and measuring";
  auto explored = pipeline.run(work.stop);
  result.ending = work.stop ? Ending::interrupted : pipeline.ending();
  note_inapplicable_rules(work, budget);
  result.measured = pipeline.measured();
  result.reused = pipeline.reused();
  result.elsewhere = pipeline.elsewhere();
  result.interrupted = *result.ending == Ending::interrupted;
  for (const std::string& note : pipeline.notes()) result.notes.push_back(note);
  if (explored && work.options.shared != nullptr) return work.options.shared->leave(*result.ending, pipeline.claimed());
  return explored;
}

} // namespace

Result<Knowledge> learn(SessionWork& work, const SearchSpace& space) {
  const SessionOptions& options = work.options;
  const bool needs_none = options.budget.all() && !options.stop_rules.any();
  if (!needs_none && options.knowledge.prior) WT_CHECK(find_roofs(work));
  DeviceInfo device = work.result.device;
  if (options.shared != nullptr) {
    WT_TRY(device, options.shared->agree(device));
  }
  if (needs_none) return Knowledge{};
  auto gathered =
      gather_knowledge({work.kernel, work.problem, device, space, options.knowledge,
                        make_identity(work.kernel, work.problem, work.result.device, options), work.result.session,
                        options.database, options.shared == nullptr}); // the processes of a shared search propose alike
  for (std::string& note : gathered.notes) work.result.notes.push_back(std::move(note));
  return std::move(gathered.knowledge);
}

Result<void> explore(SessionWork& work, const SearchSpace& space, Strategy& strategy) {
  if (work.opened.finished) {
    WT_CHECK(find_roofs(work));
    work.result.reused = static_cast<std::int64_t>(work.book.size());
  } else {
    if (strategy.learns()) work.compilers->set_all_wanted(false); // such a strategy waits for the oldest candidate
    WT_CHECK(run_pipeline(work, space, strategy));
  }
  work.count_by_status();
  return {};
}

} // namespace warptune
