#include "replay/strategy_replay.h"

#include "core/random.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <deque>
#include <fmt/format.h>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

namespace warptune {
namespace {

// CPU time of this thread: other processes on the same core do not count.
double processor_ms() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

class Run {
 public:
  Run(const RecordedSpace& space, const ReplayOptions& options, ReplayRun& out)
      : space_(space), options_(options), out_(out), proposed_(space.outcomes.size()) {}

  Result<void> run(Strategy& strategy) {
    std::deque<ConfigIndex> under_way;
    std::int64_t left = std::min(options_.budget, space_.space.size());
    for (;;) {
      if (options_.stop != nullptr && *options_.stop) return fail(ErrorKind::interrupted, "stopped");
      const std::size_t wanted = std::min(options_.batch - under_way.size(), static_cast<std::size_t>(left));
      if (wanted > 0) {
        std::vector<ConfigIndex> proposals;
        timed([&] { proposals = strategy.propose(wanted); });
        if (proposals.size() > wanted)
          return broken(fmt::format("proposed {} configurations, but {} were requested", proposals.size(), wanted));
        for (const ConfigIndex index : proposals) {
          if (index < 0 || index >= space_.space.size()) return broken("proposed a configuration that does not exist");
          if (proposed_[static_cast<std::size_t>(index)]) return broken("proposed a configuration twice");
          proposed_[static_cast<std::size_t>(index)] = true;
          under_way.push_back(index);
        }
        left -= static_cast<std::int64_t>(proposals.size());
      }
      if (under_way.empty()) {
        if (left == 0 && options_.budget < space_.space.size()) out_.trace.budget = options_.budget;
        return {};
      }
      const Observation seen = evaluate(under_way.front());
      under_way.pop_front();
      timed([&] { strategy.observe(seen); });
    }
  }

  void timed(auto&& work) {
    const double begun = processor_ms();
    work();
    out_.own_ms += processor_ms() - begun;
  }

 private:
  tl::unexpected<Error> broken(const std::string& what) const {
    return fail(ErrorKind::internal, fmt::format("the strategy {} {} on {} with seed {}; please report this",
                                                 out_.trace.strategy, what, space_.name, out_.trace.seed));
  }

  Observation evaluate(ConfigIndex index) {
    const RecordedOutcome& recorded = space_.at(index);
    ++out_.evaluations;
    out_.trace.spent_s += recorded.spent_ms() * 1e-3; // one unknown time makes the sum unknown (NaN)
    const bool ok = recorded.status == TrialStatus::ok;
    if (ok && recorded.time_ms < best_ms_) {
      best_ms_ = recorded.time_ms;
      out_.trace.improvements.push_back({out_.evaluations, best_ms_, out_.trace.spent_s});
    }
    if (!ok) return {index, false, kNotRecorded};
    double shown_ms = recorded.time_ms;
    if (options_.noise && !recorded.samples_ms.empty())
      shown_ms =
          recorded
              .samples_ms[mix(mix(out_.trace.seed) + static_cast<std::uint64_t>(index)) % recorded.samples_ms.size()];
    return {index, true, shown_ms * 1e3, space_.energy_mj(index)};
  }

  const RecordedSpace& space_;
  const ReplayOptions& options_;
  ReplayRun& out_;
  std::vector<bool> proposed_;
  double best_ms_ = std::numeric_limits<double>::infinity();
};

// Catches exceptions, because they must not leave a thread.
Result<ReplayRun> replay_in_thread(const RecordedSpace& space, const StrategyChoice& strategy, std::uint64_t seed,
                                   const ReplayOptions& options) {
  const auto failed = [&](std::string_view what) {
    return fail(ErrorKind::internal, fmt::format("{} while {} replays {}", what, strategy_text(strategy), space.name));
  };
  try {
    return replay(space, strategy, seed, options);
  } catch (const std::bad_alloc&) {
    return failed("out of memory");
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

} // namespace

Result<ReplayRun> replay(const RecordedSpace& space, const StrategyChoice& strategy, std::uint64_t seed,
                         const ReplayOptions& options) {
  ReplayRun out;
  out.trace = {space.name, strategy_text(strategy), seed, {}, 0};
  Run run(space, options, out);
  Result<std::unique_ptr<Strategy>> made;
  run.timed([&] {
    made = make_strategy(strategy.name, space.space, seed, strategy.options,
                         options.knowledge == nullptr ? no_knowledge() : *options.knowledge);
  });
  WT_CHECK(made);
  WT_CHECK(run.run(**made));
  return out;
}

Result<ReplayRuns> replay_all(const ReplayPlan& plan, const std::function<void(std::size_t, std::size_t)>& progress,
                              const std::atomic<bool>& stop) {
  const auto seeds = static_cast<std::size_t>(plan.seeds);
  const std::size_t total = plan.strategies.size() * plan.spaces.size() * seeds;
  std::vector<std::optional<ReplayRun>> runs(total);
  std::optional<Error> failure;
  std::size_t next = 0, done = 0;
  std::mutex mutex;
  std::condition_variable finished;

  const auto work = [&] {
    ReplayOptions options = plan.options;
    options.stop = &stop;
    for (;;) {
      std::unique_lock lock(mutex);
      if (next == total || failure || stop) return;
      const std::size_t i = next++;
      lock.unlock();
      const std::size_t strategy = i / (plan.spaces.size() * seeds), space = i / seeds % plan.spaces.size();
      if (!plan.knowledge.empty()) options.knowledge = &plan.knowledge[space];
      auto run = replay_in_thread(*plan.spaces[space], plan.strategies[strategy], i % seeds, options);
      lock.lock();
      if (!run && run.error().kind == ErrorKind::interrupted) return;
      if (run)
        runs[i] = std::move(*run);
      else if (!failure)
        failure = run.error();
      ++done;
      finished.notify_one();
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < std::max(plan.jobs, 1); ++i) threads.emplace_back(work);
  {
    std::unique_lock lock(mutex);
    for (std::size_t shown = 0; shown < total && !failure && !stop;) {
      finished.wait_for(lock, std::chrono::milliseconds(100), [&] { return done > shown || failure; });
      if (done == shown) continue;
      shown = done;
      lock.unlock();
      progress(shown, total);
      lock.lock();
    }
  }
  threads.clear(); // joins them
  if (failure) return fail(*failure);
  ReplayRuns out{{}, total};
  for (std::optional<ReplayRun>& run : runs)
    if (run) out.complete.push_back(std::move(*run));
  return out;
}

} // namespace warptune
