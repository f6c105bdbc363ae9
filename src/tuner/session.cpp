// The tuning session: only the order of its steps. Each step is a function in another file.
#include "tuner/session.h"

#include "search/strategy.h"
#include "spec/short_problem.h"
#include "tuner/built_candidates.h"
#include "tuner/certification.h"
#include "tuner/counting.h"
#include "tuner/exploration.h"
#include "tuner/session_device.h"
#include "tuner/session_row.h"
#include "tuner/session_work.h"
#include "tuner/shared_steps.h"
#include "worker/compile_pool.h"

#include <memory>
#include <utility>

namespace warptune {
namespace {

WorkerCommand worker_command(const SessionOptions& options, const std::string& device) {
  return {options.worker_executable, device, options.cache_directory.string()};
}

std::unique_ptr<CompileQueue> open_compilers(CompilePool& pool, const ProblemSetup& setup,
                                             const SessionOptions& options) {
  WorkerCommand compiler = worker_command(options, compiling_device(options.device));
  auto compilers = pool.open(std::move(compiler), setup, options.compile_timeout_s);
  compilers->prepare(); // while the device is being opened
  return compilers;
}

// Compiles, launches, verifies, measures and records each candidate, certifies the winner and reads counters.
Result<void> tune(SessionWork& work, const SearchSpace& space, Strategy& strategy) {
  WT_CHECK(explore(work, space, strategy));
  if (work.options.shared != nullptr && !work.result.interrupted) {
    WT_TRY(const bool holds_finals, enter_finals(work));
    if (!holds_finals) return {};
  }
  if (work.result.interrupted)
    work.note_best_so_far();
  else
    WT_CHECK(certify(work));
  if (work.result.interrupted) return {};
  return count_trials(work);
}

Result<SessionResult> run_steps(SessionWork& work) {
  const TraceSpan span(work.track,
                       work.kernel.spec.name + " " + short_problem(problem_key(work.kernel.spec, work.problem)));
  WT_CHECK(describe_device(work));
  WT_TRY(auto space, session_space(work.kernel, work.problem, work.result.device, work.options, work.result.notes));
  WT_TRY(auto chosen, parse_strategy(work.options.strategy));
  WT_CHECK(open_session(work, space));
  if (work.opened.best) {
    take_known_best(work);
    WT_CHECK(count_trials(work));
    return work.take_result();
  }
  WT_TRY(const auto knowledge, learn(work, space));
  WT_TRY(auto strategy, make_strategy(chosen.name, space, work.options.seed, chosen.options, knowledge));
  WT_CHECK(close_session(work, tune(work, space, *strategy)));
  return work.take_result();
}

} // namespace

Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const SessionTools& tools, const std::function<void(const Progress&)>& progress,
                                  const std::atomic<bool>& stop) {
  WT_TRY(auto builders, allowed_builders(kernel, options, &stop));
  const ProblemSetup setup{kernel, problem, options.seed, std::move(builders)};
  tools.device.assign(setup, options.evaluate_timeout_s);
  for (DeviceWorker* const device : tools.more_devices) device->assign(setup, options.evaluate_timeout_s);
  SessionWork work{kernel,   problem,     options,
                   progress, stop,        tools.device,
                   setup,    tools.track, open_compilers(tools.compilers, setup, options)};
  work.more_devices = tools.more_devices;
  return run_steps(work);
}

Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const std::function<void(const Progress&)>& progress, const std::atomic<bool>& stop) {
  std::shared_ptr<Trace> trace;
  if (!options.trace.empty()) {
    WT_TRY(auto opened, Trace::open(options.trace));
    trace = std::move(opened);
  }
  const int devices = 1 + static_cast<int>(options.more_devices.size());
  CompilePool compilers(compile_worker_count(options.compile_workers, devices), trace);
  DeviceWorker device(worker_command(options, options.device), track_of(trace, options.device, "device"));
  SessionTools tools{compilers, device, track_of(trace, "coordinator", options.device)};
  std::vector<std::unique_ptr<DeviceWorker>> more;
  for (const std::string& name : options.more_devices) {
    more.push_back(std::make_unique<DeviceWorker>(worker_command(options, name), track_of(trace, name, "device")));
    tools.more_devices.push_back(more.back().get());
  }
  auto result = run_session(kernel, problem, options, tools, progress, stop);
  if (trace)
    if (auto closed = trace->close(); !closed && result) result->lost_trace = closed.error();
  return result;
}

} // namespace warptune
