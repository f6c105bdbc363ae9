// The tuning session: propose, compile, launch, verify, measure, record, certify. Each step is a function of another
// file; what stands here is their order and what is said about them.
#include "tuner/session.h"

#include "search/strategy.h"
#include "tuner/compile_pool.h"
#include "tuner/device_worker.h"
#include "tuner/energy.h"
#include "tuner/failures.h"
#include "tuner/finals.h"
#include "tuner/ledger.h"
#include "tuner/pipeline.h"
#include "tuner/profiling.h"
#include "tuner/winner_checks.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

namespace warptune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kBeyondFinals = 1.02; // of their band, is where racing drops

WorkerCommand worker_command(const SessionOptions& options) {
  return {options.worker_executable, options.device, options.cache_directory.string()};
}

// A pass of the first costs tens of milliseconds; of the second, a few for each configuration among many.
constexpr const char* kExplaining = "roofline,stalls";
constexpr const char* kCheap = "lean";

class Session {
 public:
  Session(const Kernel& kernel, const Problem& problem, const SessionOptions& options, const SessionTools& tools,
          const std::function<void(const Progress&)>& progress, const std::atomic<bool>& stop)
      : kernel_(kernel), problem_(problem), options_(options), progress_(progress),
        stop_(stop), setup_{kernel, problem, options.seed}, device_(tools.device), track_(tools.track) {
    device_.assign(setup_, options.evaluate_timeout_s);
    WorkerCommand compiler = worker_command(options);
    compiler.device = compiling_device(compiler.device);
    compilers_ = tools.compilers.open(std::move(compiler), setup_, options.compile_timeout_s);
    compilers_->prepare(); // while the device is being opened
  }

  Result<SessionResult> run() {
    const TraceSpan span(track_, kernel_.spec.name + " " + problem_key(kernel_.spec, problem_));
    auto ready = describe_device();
    if (!ready) return tl::make_unexpected(ready.error());
    auto space = SearchSpace::build(kernel_.spec, problem_, result_.device);
    if (!space) return tl::make_unexpected(space.error());
    auto strategy = make_strategy(options_.strategy, *space, options_.seed);
    if (!strategy) return tl::make_unexpected(strategy.error());
    auto enrolled = enrol(*space);
    if (!enrolled) return tl::make_unexpected(enrolled.error());
    if (enrolment_.best) return report_again();

    auto tuned = tune(*space, **strategy);
    if (tuned && !result_.interrupted) tuned = profile();
    if (!tuned) {
      // Everything measured is stored. A sweep without a winner is complete all the same; one that broke can be
      // resumed.
      const bool complete = tuned.error().kind == ErrorKind::no_candidate;
      (void)ledger_->end(result_.session, complete ? SessionState::finished : SessionState::interrupted);
      return tl::make_unexpected(tuned.error());
    }
    const auto state = result_.interrupted ? SessionState::interrupted : SessionState::finished;
    if (auto ended = ledger_->end(result_.session, state); !ended) return tl::make_unexpected(ended.error());
    return finished();
  }

 private:
  Result<void> describe_device() {
    now_.phase = "preparing the device";
    report(nullptr);
    auto device = device_.describe();
    if (!device) return tl::make_unexpected(device.error());
    result_.device = std::move(*device);
    compilers_->set_device(result_.device);
    compilers_->set_all_wanted(options_.budget.kind != Budget::Kind::seconds);
    if (options_.profile != ProfileScope::none && !options_.metrics.empty())
      if (auto known = check_metrics(options_.metrics, problem_.dtype, result_.device); !known) return known;
    auto cost = estimate_cost(kernel_.spec, problem_, result_.device);
    if (!cost) return tl::make_unexpected(cost.error());
    cost_ = std::move(*cost);
    auto ledger = Ledger::open(options_.database);
    if (!ledger) return tl::make_unexpected(ledger.error());
    ledger_.emplace(std::move(*ledger));
    return {};
  }

  // Everything but the trials: the device, the kernel, the session's row.
  Result<void> enrol(const SearchSpace& space) {
    if (auto put = ledger_->introduce(kernel_, result_.device); !put) return put;
    auto enrolment = ledger_->enrol(make_identity(kernel_, problem_, result_.device, options_), options_.resume,
                                    options_.part_of_sweep, space.size());
    if (!enrolment) return tl::make_unexpected(enrolment.error());
    enrolment_ = std::move(*enrolment);
    result_.session = enrolment_.session;
    result_.space_size = space.size();
    default_index_ = space.find(default_config(kernel_.spec));
    if (!default_index_)
      result_.notes.emplace_back("the default configuration is not valid for this problem on this device");
    for (Trial& trial : enrolment_.known)
      if (const auto index = space.find(trial.config)) {
        trial.index = *index;
        spent_s_ += (trial.verify_ms + trial.measure_ms) / 1e3;
        book_.insert_or_assign(*index, std::move(trial));
      }
    enrolment_.known.clear();
    return {};
  }

  Result<void> tune(const SearchSpace& space, Strategy& strategy) {
    if (enrolment_.finished) {
      if (auto known = know_roofs(); !known) return known;
      result_.reused = static_cast<std::int64_t>(book_.size());
    } else {
      auto explored = explore(space, strategy);
      if (!explored) return explored;
    }
    count_by_status();
    if (result_.interrupted) return note_best_so_far();
    return certify();
  }

  Result<void> explore(const SearchSpace& space, Strategy& strategy) {
    const BudgetMeter budget(options_.budget, space.size(), spent_s_);
    PipelineOptions pipeline_options{
        default_index_, options_.measure, options_.racing, kBeyondFinals * finalist_band(options_.objective), {}, {}};
    now_.total = budget.limit();
    exploring_since_ = elapsed_s();
    // What is counted as done is what this run measured and what it met again, so that done never exceeds total.
    Pipeline* running = nullptr;
    pipeline_options.record = [&](const Trial& trial) {
      const TraceSpan span(track_, "record");
      return ledger_->record(result_.session, kernel_.spec, trial);
    };
    pipeline_options.progress = [&](const Trial* trial) {
      now_.reused = running->reused();
      now_.done = running->measured() + running->reused();
      report(trial);
    };
    Pipeline pipeline(space, strategy, *compilers_, device_, budget, std::move(pipeline_options), book_);
    running = &pipeline;
    pipeline.begin();
    if (auto known = know_roofs(); !known) return known;
    count_by_status();
    now_.phase = "compiling and measuring";
    auto explored = pipeline.run(stop_);
    result_.measured = pipeline.measured();
    result_.reused = pipeline.reused();
    result_.interrupted = stop_;
    return explored;
  }

  // Roofs are a property of the device, measured once for all sessions on it.
  Result<void> know_roofs() {
    Roofs& roofs = result_.device.roofs;
    if (!roofs.measured) {
      const auto known = ledger_->known_roofs(result_.device);
      if (known) roofs = known->roofs; // better than none, should measuring fail
      if (known && known->stale.empty()) return {};
      now_.phase = "measuring the device's ceilings";
      report(nullptr);
      auto measured = device_.measure_roofs();
      if (!measured) {
        result_.notes.push_back(
            (known ? "the device's ceilings could not be measured again, so the stored ones stand: "
                   : "the device's ceilings could not be measured, so no share of the roofline is known: ") +
            measured.error().message);
        return {};
      }
      roofs = *measured;
    }
    return ledger_->put_roofs(result_.device);
  }

  // Finals until a winner passes its checks: each that fails is out, and the next takes its place.
  Result<void> certify() {
    while (true) {
      std::vector<Finalist> finalists;
      for (const ConfigIndex index : choose_finalists(book_, default_index_, options_.finalists, options_.objective)) {
        const Trial& trial = book_.at(index);
        Finalist& f = finalists.emplace_back();
        f.index = index;
        f.config = trial.config;
        f.is_default = index == default_index_;
        f.explored_us = trial.timing->median_us;
      }
      if (finalists.empty()) return fail(ErrorKind::no_candidate, describe_failures(kernel_.spec, book_));
      describe_launches(finalists, kernel_, problem_, result_.device);
      now_.phase = "certifying";
      now_.done = 0;
      now_.total = options_.rounds;
      report(nullptr);
      auto finals = run_finals(
          device_, result_.device, finalists, options_.rounds, options_.compile_timeout_s,
          [&](int round) {
            now_.done = round;
            report(nullptr);
          },
          stop_, options_.measure.cold_l2);
      if (!finals) return tl::make_unexpected(finals.error());
      if (finals->stopped) {
        result_.interrupted = true;
        return note_best_so_far();
      }
      if (finals->throttled > 0 && !finals->kept_throttled)
        result_.notes.push_back(
            fmt::format("{} of the finals {} discarded because the device throttled",
                        finals->throttled == 1 ? "1 round" : fmt::format("{} rounds", finals->throttled),
                        finals->throttled == 1 ? "was" : "were"));
      if (finals->kept_throttled)
        result_.notes.emplace_back("the device throttled in every round of the finals, so those rounds had to count");
      auto objective = know_energy(finalists);
      if (!objective) return tl::make_unexpected(objective.error());
      if (result_.interrupted) return note_best_so_far();
      for (const Finalist& f : finalists)
        if (f.status != TrialStatus::ok)
          if (auto out = disqualify(f.index, f.status, f.evidence); !out) return out;
      while (const auto decision = decide(finalists, *objective)) {
        Finalist& winner = finalists[decision->winner];
        now_.phase = "checking the winner";
        report(nullptr);
        auto checks = check_winner(device_, setup_, result_.device, winner.config);
        if (!checks) return tl::make_unexpected(checks.error());
        if (checks->status == TrialStatus::ok) return keep(finalists, *decision, *objective, *checks);
        winner.status = checks->status;
        if (auto out = disqualify(winner.index, checks->status, checks->evidence); !out) return out;
      }
    }
  }

  // Of the finalists, if it is wanted. Returns what they can be judged by: without energy only time.
  Result<Objective> know_energy(std::vector<Finalist>& finalists) {
    if (options_.objective == Objective::time && !options_.energy) return Objective::time;
    now_.phase = "measuring energy";
    now_.done = 0;
    report(nullptr);
    auto energy = measure_energy(
        device_, finalists, {options_.objective, options_.finalists, options_.evaluate_timeout_s},
        [&](int done, int total) {
          now_.done = done;
          now_.total = total;
          report(nullptr);
        },
        stop_);
    if (!energy) return tl::make_unexpected(energy.error());
    result_.interrupted = energy->stopped;
    for (const Finalist& f : finalists) {
      if (!f.power) continue;
      Trial& trial = book_.at(f.index);
      trial.power = f.power;
      if (auto kept = ledger_->keep_power(result_.session, kernel_.spec, trial); !kept)
        return tl::make_unexpected(kept.error());
    }
    if (energy->unavailable.empty()) return options_.objective;
    std::string note = "the energy of a launch is not known: " + energy->unavailable;
    if (options_.objective != Objective::time) note += "; so the fastest was chosen, and is not certified";
    if (std::find(result_.notes.begin(), result_.notes.end(), note) == result_.notes.end())
      result_.notes.push_back(std::move(note));
    return Objective::time;
  }

  Result<void> disqualify(ConfigIndex index, TrialStatus status, const std::string& evidence) {
    Trial& trial = book_.at(index);
    result_.notes.push_back(fmt::format("{} was disqualified: {}", config_text(kernel_.spec, trial.config), evidence));
    trial.status = status;
    trial.evidence = evidence;
    count_by_status();
    return ledger_->disqualify(result_.session, kernel_.spec, trial);
  }

  Result<void> keep(const std::vector<Finalist>& finalists, const Decision& decision, Objective judged_by,
                    const WinnerChecks& checks) {
    const Finalist& winner = finalists[decision.winner];
    result_.roofline = roofline_point(cost_, result_.device.roofs, decision.median_us);
    BestRecord& best = result_.best;
    describe(best, winner.config, decision.median_us);
    best.ci_low_us = decision.ci_low_us;
    best.ci_high_us = decision.ci_high_us;
    best.default_us = decision.default_us;
    best.certified = decision.certified && !checks.other_sources && judged_by == options_.objective;
    best.p_value = decision.p_value;
    best.outcome = decision.outcome;
    if (checks.other_sources) best.outcome += "; by times recorded of other sources than the kernel has now";
    for (const std::size_t i : decision.tie_set) best.tie_set.push_back(config_text(kernel_.spec, finalists[i].config));
    for (const std::size_t i : pareto_set(finalists))
      best.pareto.push_back({config_text(kernel_.spec, finalists[i].config),
                             objective_of(finalists[i], Objective::time),
                             objective_of(finalists[i], Objective::energy)});
    if (winner.power) best.energy_mj = winner.power->energy_mj;
    result_.power = winner.power;
    best.checks = checks.summary;
    best.cubin_hash = winner.compiled.cubin_hash;
    return ledger_->keep_best(best, options_.cache_directory);
  }

  // Counters, of those that have none yet. Without any a session is as good as before, so that is a note.
  Result<void> profile() {
    if (options_.profile == ProfileScope::none) return {};
    std::vector<Trial*> explained, others;
    for (auto& [index, trial] : book_) {
      if (trial.status != TrialStatus::ok || trial.profile) continue;
      const bool chosen = index == default_index_ || config_text(kernel_.spec, trial.config) == result_.best.config;
      if (chosen)
        explained.push_back(&trial);
      else if (options_.profile == ProfileScope::all)
        others.push_back(&trial);
    }
    now_.phase = "counting";
    now_.done = now_.reused = 0;
    now_.total = static_cast<std::int64_t>(explained.size() + others.size());
    if (now_.total == 0) return {};
    report(nullptr);
    const bool automatic = options_.metrics.empty();
    if (auto done = count(explained, automatic ? kExplaining : options_.metrics); !done || !*done)
      return done ? Result<void>() : tl::make_unexpected(done.error());
    auto done = count(others, automatic ? kCheap : options_.metrics);
    return done ? Result<void>() : tl::make_unexpected(done.error());
  }

  // Whether to go on.
  Result<bool> count(const std::vector<Trial*>& trials, const std::string& metrics) {
    const ProfilingOptions options{metrics, options_.measure.cold_l2, options_.evaluate_timeout_s};
    const std::int64_t before = now_.done;
    auto done = profile_trials(
        device_, trials, options,
        [&](const Trial& trial) { return ledger_->keep_profile(result_.session, kernel_.spec, trial); },
        [&](std::int64_t so_far) {
          now_.done = before + so_far;
          report(nullptr);
        },
        stop_);
    if (!done) return tl::make_unexpected(done.error());
    result_.profiled += done->profiled;
    result_.interrupted = done->stopped;
    if (!done->unavailable.empty()) result_.notes.push_back("no counters: " + done->unavailable);
    if (done->failed > 0)
      result_.notes.push_back(fmt::format("{} of {} configurations could not be counted; the first: {}", done->failed,
                                          trials.size(), done->first_failure));
    return !done->stopped && done->unavailable.empty();
  }

  // Interrupted: shown, but not stored, since nothing proves yet that it is no slower than the default.
  Result<void> note_best_so_far() {
    const Trial* best = best_trial();
    if (!best) return {};
    describe(result_.best, best->config, best->timing->median_us);
    result_.best.outcome = "interrupted before the finals";
    result_.roofline = roofline_point(cost_, result_.device.roofs, best->timing->median_us);
    return {};
  }

  Result<SessionResult> report_again() {
    if (auto known = ledger_->known_roofs(result_.device); known && !result_.device.roofs.measured)
      result_.device.roofs = known->roofs;
    result_.known = true;
    result_.best = *enrolment_.best;
    for (const auto& [index, trial] : book_)
      if (config_text(kernel_.spec, trial.config) == result_.best.config) result_.power = trial.power;
    result_.reused = static_cast<std::int64_t>(book_.size());
    result_.roofline = roofline_point(cost_, result_.device.roofs, result_.best.median_us);
    if (!options_.part_of_sweep) result_.notes.emplace_back("this session was finished before; nothing was measured");
    count_by_status();
    if (auto profiled = profile(); !profiled) return tl::make_unexpected(profiled.error());
    return finished();
  }

  void describe(BestRecord& best, const Config& config, double median_us) const {
    best.session = result_.session;
    best.kernel = kernel_.spec.name;
    best.source_hash = kernel_.source_hash;
    best.problem = problem_key(kernel_.spec, problem_);
    best.device_name = result_.device.name;
    best.device_uuid = result_.device.uuid;
    best.arch = result_.device.arch;
    best.cold_l2 = options_.measure.cold_l2;
    best.objective = options_.objective;
    best.config = config_text(kernel_.spec, config);
    best.default_config = config_text(kernel_.spec, default_config(kernel_.spec));
    best.median_us = median_us;
    const RooflinePoint point = roofline_point(cost_, result_.device.roofs, median_us);
    best.roofline_share = point.share;
    best.bound = point.bound;
  }

  Result<SessionResult> finished() {
    for (std::string& note : enrolment_.notes) result_.notes.push_back(std::move(note));
    for (const std::string& note : device_.notes()) result_.notes.push_back(note);
    result_.wall_s = elapsed_s();
    return std::move(result_);
  }

  const Trial* best_trial() const {
    const Trial* best = nullptr;
    for (const auto& [index, trial] : book_)
      if (trial.status == TrialStatus::ok && trial.timing &&
          (!best || trial.timing->median_us < best->timing->median_us))
        best = &trial;
    return best;
  }

  void count_by_status() {
    result_.by_status.clear();
    for (const auto& [index, trial] : book_) ++result_.by_status[trial.status];
    now_.by_status = result_.by_status;
    if (const Trial* best = best_trial()) show_best(*best);
  }

  void show_best(const Trial& trial) {
    now_.best_us = trial.timing->median_us;
    now_.best_share = roofline_point(cost_, result_.device.roofs, now_.best_us).share;
    now_.best_config = config_text(kernel_.spec, trial.config);
  }

  void report(const Trial* trial) {
    if (trial) {
      ++now_.by_status[trial->status];
      const bool ok = trial->status == TrialStatus::ok && trial->timing;
      if (ok && (now_.best_us <= 0 || trial->timing->median_us < now_.best_us)) show_best(*trial);
    }
    now_.elapsed_s = elapsed_s();
    const std::int64_t measured = now_.done - now_.reused;
    const bool counting = trial && measured > 1 && options_.budget.kind != Budget::Kind::seconds;
    now_.eta_s = counting ? (now_.elapsed_s - exploring_since_) / static_cast<double>(measured) *
                                static_cast<double>(now_.total - now_.done)
                          : 0;
    now_.last = trial;
    if (progress_) progress_(now_);
    now_.last = nullptr;
  }

  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  const Kernel& kernel_;
  const Problem& problem_;
  const SessionOptions& options_;
  const std::function<void(const Progress&)>& progress_;
  const std::atomic<bool>& stop_;
  const ProblemSetup setup_;
  const Clock::time_point start_ = Clock::now();
  DeviceWorker& device_;
  const TraceTrack track_;
  std::unique_ptr<CompileQueue> compilers_;
  std::optional<Ledger> ledger_;
  Enrolment enrolment_;
  std::optional<ConfigIndex> default_index_;
  CostEstimate cost_;
  TrialBook book_;
  double spent_s_ = 0, exploring_since_ = 0;
  Progress now_;
  SessionResult result_;
};

} // namespace

std::optional<ProfileScope> parse_profile_scope(std::string_view name) {
  if (name == "none") return ProfileScope::none;
  if (name == "best") return ProfileScope::best;
  if (name == "all") return ProfileScope::all;
  return std::nullopt;
}

Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const SessionTools& tools, const std::function<void(const Progress&)>& progress,
                                  const std::atomic<bool>& stop) {
  return Session(kernel, problem, options, tools, progress, stop).run();
}

Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const std::function<void(const Progress&)>& progress, const std::atomic<bool>& stop) {
  std::shared_ptr<Trace> trace;
  if (!options.trace.empty()) {
    auto opened = Trace::open(options.trace);
    if (!opened) return tl::make_unexpected(opened.error());
    trace = std::move(*opened);
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
