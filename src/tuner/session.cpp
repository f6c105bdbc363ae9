// The tuning session: propose, compile, launch, verify, measure, record, certify, count. Each step is a function of
// another file; what stands here is their order and what is said about them.
#include "tuner/session.h"

#include "search/strategy.h"
#include "tuner/budget_meter.h"
#include "tuner/certification.h"
#include "tuner/counting.h"
#include "tuner/finals.h"
#include "tuner/gather_knowledge.h"
#include "tuner/profiling.h"
#include "tuner/session_work.h"
#include "worker/compile_pool.h"

#include <fmt/format.h>
#include <memory>
#include <utility>

namespace warptune {
namespace {

constexpr double kBeyondFinals = 1.02; // of their band, is where racing drops

WorkerCommand worker_command(const SessionOptions& options) {
  return {options.worker_executable, options.device, options.cache_directory.string()};
}

class Session {
 public:
  Session(const Kernel& kernel, const Problem& problem, const SessionOptions& options, const SessionTools& tools,
          const std::function<void(const Progress&)>& progress, const std::atomic<bool>& stop)
      : work_{kernel, problem, options, progress, stop, tools.device, {kernel, problem, options.seed}},
        track_(tools.track) {
    device_.assign(work_.setup, options.evaluate_timeout_s);
    WorkerCommand compiler = worker_command(options);
    compiler.device = compiling_device(compiler.device);
    compilers_ = tools.compilers.open(std::move(compiler), work_.setup, options.compile_timeout_s);
    compilers_->prepare(); // while the device is being opened
  }

  Result<SessionResult> run() {
    const TraceSpan span(track_, kernel_.spec.name + " " + problem_key(kernel_.spec, work_.problem));
    WT_CHECK(describe_device());
    WT_TRY(auto space, SearchSpace::build(kernel_.spec, work_.problem, result_.device));
    WT_TRY(auto chosen, parse_strategy(options_.strategy));
    WT_CHECK(enrol(space));
    if (enrolment_.best) return report_again();
    WT_CHECK(learn(space));
    WT_TRY(auto strategy, make_strategy(chosen.name, space, options_.seed, chosen.options, knowledge_));

    auto tuned = tune(space, *strategy);
    if (tuned && !result_.interrupted) tuned = count_trials(work_);
    if (!tuned) {
      // Everything measured is stored. A sweep without a winner is complete all the same; one that broke can be
      // resumed.
      const bool complete = tuned.error().kind == ErrorKind::no_candidate;
      (void)work_.ledger->end(result_.session, complete ? SessionState::finished : SessionState::interrupted);
      return fail(tuned.error());
    }
    const auto state = result_.interrupted ? SessionState::interrupted : SessionState::finished;
    WT_CHECK(work_.ledger->end(result_.session, state));
    return finished();
  }

 private:
  Result<void> describe_device() {
    work_.begin_phase("preparing the device");
    WT_TRY(auto device, device_.describe());
    result_.device = std::move(device);
    compilers_->set_device(result_.device);
    compilers_->set_all_wanted(options_.budget.seconds <= 0 && !options_.stop_rules.any());
    if (options_.profile != ProfileScope::none && !options_.metrics.empty())
      WT_CHECK(check_metrics(options_.metrics, work_.problem.dtype, result_.device));
    WT_TRY(auto cost, estimate_cost(kernel_.spec, work_.problem, result_.device));
    work_.cost = std::move(cost);
    WT_TRY(auto ledger, Ledger::open(options_.database));
    work_.ledger.emplace(std::move(ledger));
    return {};
  }

  // Everything but the trials: the device, the kernel, the session's row.
  Result<void> enrol(const SearchSpace& space) {
    WT_CHECK(work_.ledger->introduce(kernel_, result_.device));
    WT_TRY(auto enrolment, work_.ledger->enrol(make_identity(kernel_, work_.problem, result_.device, options_),
                                               options_.resume, options_.part_of_sweep, space.size()));
    enrolment_ = std::move(enrolment);
    result_.session = enrolment_.session;
    result_.space_size = space.size();
    work_.default_index = space.find(default_config(kernel_.spec));
    if (!work_.default_index)
      result_.notes.emplace_back("the default configuration is not valid for this problem on this device");
    for (Trial& trial : enrolment_.known)
      if (const auto index = space.find(trial.config)) {
        trial.index = *index;
        spent_s_ += (trial.verify_ms + trial.measure_ms) / 1e3;
        work_.book.insert_or_assign(*index, std::move(trial));
      }
    enrolment_.known.clear();
    return {};
  }

  // What the strategy is told beforehand. Whoever tries everything has no use for it.
  Result<void> learn(const SearchSpace& space) {
    if (options_.budget.all() && !options_.stop_rules.any()) return {};
    if (options_.knowledge.prior) WT_CHECK(know_roofs());
    auto gathered = gather_knowledge({kernel_, work_.problem, result_.device, space, options_.knowledge,
                                      make_identity(kernel_, work_.problem, result_.device, options_), result_.session,
                                      options_.database});
    knowledge_ = std::move(gathered.knowledge);
    for (std::string& note : gathered.notes) result_.notes.push_back(std::move(note));
    return {};
  }

  Result<void> tune(const SearchSpace& space, Strategy& strategy) {
    if (enrolment_.finished) {
      WT_CHECK(know_roofs());
      result_.reused = static_cast<std::int64_t>(work_.book.size());
    } else {
      auto explored = explore(space, strategy);
      if (!explored) return explored;
    }
    work_.count_by_status();
    if (!result_.interrupted) return certify(work_);
    work_.note_best_so_far();
    return {};
  }

  Result<void> explore(const SearchSpace& space, Strategy& strategy) {
    if (strategy.learns()) compilers_->set_all_wanted(false); // it waits for the oldest, not for the longest
    BudgetMeter budget(options_.budget, options_.stop_rules, space.size(), spent_s_);
    const double margin = kBeyondFinals * finalist_band(options_.objective);
    PipelineOptions pipeline_options{work_.default_index, options_.measure, options_.racing, margin, {}, {}};
    work_.now.total = budget.limit();
    work_.exploring_since_s = work_.elapsed_s();
    // What is counted as done is what this run measured and what it met again, so that done never exceeds total.
    Pipeline* running = nullptr;
    pipeline_options.record = [&](const Trial& trial) {
      const TraceSpan span(track_, "record");
      return work_.ledger->record(result_.session, kernel_.spec, trial);
    };
    pipeline_options.progress = [&](const Trial* trial) {
      work_.now.reused = running->reused();
      work_.now.done = running->measured() + running->reused();
      work_.report(trial);
    };
    Pipeline pipeline(space, strategy, *compilers_, device_, budget, std::move(pipeline_options), work_.book);
    running = &pipeline;
    pipeline.begin();
    WT_CHECK(know_roofs());
    budget.set_floor(floor_us());
    work_.count_by_status();
    work_.now.phase = "compiling and measuring";
    auto explored = pipeline.run(work_.stop);
    result_.ending = work_.stop ? Ending::interrupted : pipeline.ending();
    note_deaf_rules(budget);
    result_.measured = pipeline.measured();
    result_.reused = pipeline.reused();
    result_.interrupted = work_.stop;
    return explored;
  }

  // Rules that could not have ended the search, whatever was found.
  void note_deaf_rules(const BudgetMeter& budget) {
    const bool came_first = result_.ending == Ending::target || result_.ending == Ending::interrupted;
    if (options_.stop_rules.stop_below > 0 && !came_first && !budget.heard_forecast())
      result_.notes.push_back(
          fmt::format("the strategy {} never said what improvement it expects, so that could not end the search",
                      options_.strategy));
    if (options_.stop_rules.target_share > 0 && !(floor_us() > 0))
      result_.notes.emplace_back("no roof of this device is known, so a share of the roofline could be no target");
  }

  // The shortest time that the device's roofs allow; 0 where none is known.
  double floor_us() const { return roofline_point(work_.cost, result_.device.roofs, 0).floor_us; }

  // Roofs are a property of the device, measured once for all sessions on it.
  Result<void> know_roofs() {
    if (std::exchange(asked_for_roofs_, true)) return {};
    Roofs& roofs = result_.device.roofs;
    if (!roofs.measured) {
      const auto known = work_.ledger->known_roofs(result_.device);
      if (known) roofs = known->roofs; // better than none, should measuring fail
      if (known && known->stale.empty()) return {};
      work_.begin_phase("measuring the device's roofs");
      auto measured = device_.measure_roofs();
      if (!measured) {
        result_.notes.push_back(
            (known ? "the device's roofs could not be measured again, so the stored ones stand: "
                   : "the device's roofs could not be measured, so no share of the roofline is known: ") +
            measured.error().message);
        return {};
      }
      roofs = *measured;
    }
    return work_.ledger->put_roofs(result_.device);
  }

  Result<SessionResult> report_again() {
    if (auto known = work_.ledger->known_roofs(result_.device); known && !result_.device.roofs.measured)
      result_.device.roofs = known->roofs;
    result_.known = true;
    result_.best = *enrolment_.best;
    for (const auto& [index, trial] : work_.book)
      if (work_.text_of(trial.config) == result_.best.config) result_.power = trial.power;
    result_.reused = static_cast<std::int64_t>(work_.book.size());
    result_.roofline = roofline_point(work_.cost, result_.device.roofs, result_.best.median_us);
    if (!options_.part_of_sweep) result_.notes.emplace_back("this session was finished before; nothing was measured");
    work_.count_by_status();
    WT_CHECK(count_trials(work_));
    return finished();
  }

  Result<SessionResult> finished() {
    for (std::string& note : enrolment_.notes) result_.notes.push_back(std::move(note));
    for (const std::string& note : device_.notes()) result_.notes.push_back(note);
    result_.wall_s = work_.elapsed_s();
    return std::move(result_);
  }

  std::unique_ptr<CompileQueue> compilers_;
  SessionWork work_;
  const Kernel& kernel_ = work_.kernel;
  const SessionOptions& options_ = work_.options;
  DeviceWorker& device_ = work_.device;
  SessionResult& result_ = work_.result;
  const TraceTrack track_;
  Enrolment enrolment_;
  Knowledge knowledge_;
  bool asked_for_roofs_ = false;
  double spent_s_ = 0; // by an earlier run of the session
};

} // namespace

Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const SessionTools& tools, const std::function<void(const Progress&)>& progress,
                                  const std::atomic<bool>& stop) {
  return Session(kernel, problem, options, tools, progress, stop).run();
}

Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const std::function<void(const Progress&)>& progress, const std::atomic<bool>& stop) {
  std::shared_ptr<Trace> trace;
  if (!options.trace.empty()) {
    WT_TRY(auto opened, Trace::open(options.trace));
    trace = std::move(opened);
  }
  CompilePool compilers(compile_worker_count(options.compile_workers, 1), trace);
  DeviceWorker device(worker_command(options), track_of(trace, options.device, "device"));
  const SessionTools tools{compilers, device, track_of(trace, "coordinator", options.device)};
  auto result = run_session(kernel, problem, options, tools, progress, stop);
  if (trace)
    if (auto closed = trace->close(); !closed && result) result->notes.push_back(closed.error().message);
  return result;
}

} // namespace warptune
