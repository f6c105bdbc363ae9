#include "tuner/sweep.h"

#include "core/thread_guard.h"
#include "tuner/compile_ahead.h"
#include "tuner/ledger.h"
#include "tuner/session.h"
#include "tuner/shared_jobs.h"
#include "tuner/sweep_scheduler.h"
#include "worker/compile_pool.h"
#include "worker/device_worker.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace warptune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kStopPoll = std::chrono::milliseconds(50);

class Sweep {
 public:
  Sweep(const std::vector<SweepJob>& jobs, const SweepOptions& options,
        const std::function<void(const SweepProgress&)>& progress, const std::atomic<bool>& stop,
        std::shared_ptr<Trace> trace)
      : jobs_(jobs), options_(options), progress_(progress), stop_(stop), trace_(std::move(trace)),
        scheduler_(jobs, options),
        compilers_(compile_worker_count(options.compile_workers, static_cast<int>(options.devices.size())), trace_),
        ahead_(compilers_, options.database, halted_) {}

  Result<SweepResult> run() {
    std::vector<std::thread> threads;
    std::unique_lock lock(mutex_);
    for (std::size_t i = 0; i < scheduler_.queues().size(); ++i)
      if (auto error = run_guarded([&] { threads.emplace_back([this, i] { serve_guarded(i); }); })) {
        leave(i, false, std::move(error));
      }
    if (auto error = run_guarded([&] { watch(lock); })) give_up(std::move(*error));
    lock.unlock();
    for (std::thread& thread : threads) thread.join();
    if (fatal_) return fail(*fatal_);
    auto result = scheduler_.result(stop_ || cancelled_);
    if (result) result->wall_s = elapsed_s();
    return result;
  }

 private:
  WorkerCommand command(const std::string& device) const {
    return {options_.worker_executable, device, options_.cache_directory.string()};
  }

  // Returns when all queues have ended. The caller holds the mutex.
  void watch(std::unique_lock<std::mutex>& lock) {
    while (running_queues_ > 0 || !planned_) {
      if (!planned_ && described_ == scheduler_.queues().size()) plan();
      changed_.wait_for(lock, kStopPoll);
      if (stop_) halt();
      if (options_.shared != nullptr) heed_others();
    }
  }

  void halt() {
    halted_ = true;
    changed_.notify_all();
  }
  void give_up(Error error) {
    if (!fatal_) fatal_ = std::move(error);
    halt();
  }

  // Holds the mutex.
  void heed_others() {
    const auto goes_on = options_.shared->goes_on();
    if (!goes_on) give_up(goes_on.error());
    if (goes_on && !*goes_on) {
      cancelled_ = true;
      halt();
    }
  }

  // Decides which queue does what, after all devices are described. The caller holds the mutex.
  void plan() {
    planned_ = true;
    if (auto planned = scheduler_.plan(); !planned) return give_up(planned.error());
    now_.total = scheduler_.tasks().size();
    changed_.notify_all();
    if (options_.shared != nullptr) return;
    auto opened = Ledger::open(options_.database);
    if (!opened) return give_up(opened.error());
    ledger_.emplace(std::move(*opened));
    if (options_.resume) scheduler_.find_earlier(*ledger_);
  }

  // Ends a queue, because of `error` if there is one. The caller holds the mutex.
  void leave(std::size_t place, bool is_described, std::optional<Error> error) {
    --running_queues_;
    if (!is_described) {
      ++described_;
      run_guarded([&] { scheduler_.queues()[place].error = error; }); // the error itself is kept below
    }
    if (error) give_up(std::move(*error));
    changed_.notify_all();
  }

  void serve_guarded(std::size_t place) {
    bool is_described = false;
    auto error = run_guarded([&] { serve(place, is_described); });
    const std::lock_guard lock(mutex_);
    leave(place, is_described, std::move(error));
  }

  // The thread of one device queue.
  void serve(std::size_t place, bool& is_described) {
    DeviceQueue& queue = scheduler_.queues()[place];
    DeviceWorker device(command(queue.device), track_of(trace_, queue.device, "device"));
    const TraceTrack track = track_of(trace_, "coordinator", queue.device);
    const SessionTools tools{compilers_, device, track};
    describe(queue, device);
    is_described = true;
    if (options_.shared != nullptr) return serve_shared(place, tools);
    while (SweepTask* task = next(place))
      if (work_on(*task, queue, tools, scheduler_.session_options(scheduler_.job_of(*task), queue))) {
        const std::lock_guard lock(mutex_);
        tell(*task, queue);
      }
  }

  // Takes shared jobs until none is left for this queue.
  void serve_shared(std::size_t place, const SessionTools& tools) {
    DeviceQueue& queue = scheduler_.queues()[place];
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return planned_ || halted_; });
      if (!planned_ || queue.error) return;
    }
    while (!halted_) {
      const auto taken = options_.shared->next(*queue.info, halted_);
      if (taken && !*taken) return;
      std::unique_lock lock(mutex_);
      if (!taken) return give_up(taken.error());
      SweepTask& task = *scheduler_.task_of((*taken)->job, place);
      lock.unlock();
      SessionOptions session = scheduler_.session_options(scheduler_.job_of(task), queue);
      session.database = (*taken)->database;
      session.resume = (*taken)->resume;
      const bool has_ended = work_on(task, queue, tools, session);
      JobReport report = task.report;
      if (queue.error) report.state = JobState::interrupted; // another device may have a result
      const auto stored = options_.shared->ended(**taken, *queue.info, report);
      lock.lock();
      if (!stored) {
        fatal_ = stored.error(); // even if the session failed: it does not know why its database is gone
        halt();
      }
      if (has_ended) tell(task, queue); // now that shared->done() counts the job
      if (queue.error) return;
    }
  }

  void describe(DeviceQueue& queue, DeviceWorker& device) {
    const SweepJob& any = jobs_.front();
    device.assign({*any.kernel, any.problem, any.options.seed}, any.options.evaluate_timeout_s);
    auto info = device.describe();
    const std::lock_guard lock(mutex_);
    if (info)
      queue.info = std::move(*info);
    else
      queue.error = info.error();
    ++described_;
    changed_.notify_all();
  }

  // A queue without work waits while others work, because it takes over their jobs if they lose their device.
  SweepTask* next(std::size_t place) {
    std::unique_lock lock(mutex_);
    while (true) {
      if (halted_) return nullptr;
      if (planned_) {
        bool others = false;
        if (SweepTask* task = scheduler_.take(place, others)) {
          if (!database_there()) return nullptr;
          look_ahead(place);
          return task;
        }
        if (!others) return nullptr;
      }
      changed_.wait(lock);
    }
  }

  // Whether the database still exists. A session that begins after it was deleted would create a new one, without the
  // earlier results. The caller holds the mutex.
  bool database_there() {
    if (!ledger_) return true;
    auto there = ledger_->still_there();
    if (!there) give_up(there.error());
    return there.has_value();
  }

  // Holds the mutex.
  void look_ahead(std::size_t place) {
    const DeviceQueue& queue = scheduler_.queues()[place];
    if (const auto task = scheduler_.prefetch(place))
      ahead_.want(*task, scheduler_.job_of(scheduler_.tasks()[*task]), command(compiling_device(queue.device)),
                  *queue.info);
  }

  // Returns false if the device was lost and another one takes the job; else call tell().
  bool work_on(SweepTask& task, DeviceQueue& queue, const SessionTools& tools, const SessionOptions& session) {
    ahead_.forget(static_cast<std::size_t>(&task - scheduler_.tasks().data()));
    const SweepJob& job = scheduler_.job_of(task);
    auto done = run_session(
        *job.kernel, job.problem, session, tools, [&](const Progress& progress) { show(task, queue, progress); },
        halted_);
    // A session that ended with no_device may itself have broken its worker. If a new worker can measure the roofs, the
    // device is usable.
    std::optional<Error> lost;
    if (!done && done.error().kind == ErrorKind::no_device)
      if (auto alive = tools.device.measure_roofs(); !alive) lost = alive.error();
    const std::lock_guard lock(mutex_);
    task.running = false;
    changed_.notify_all();
    if (lost) {
      queue.error = std::move(lost);
      if (scheduler_.others_of(queue)) return false; // one of the other devices takes the job
    }
    (void)database_there();
    if (done) {
      queue.served = true;
      SweepScheduler::end(task, queue,
                          done->interrupted ? JobState::interrupted
                          : done->known     ? JobState::known
                                            : JobState::finished);
      task.report.result = std::move(*done);
    } else {
      if (done.error().kind == ErrorKind::database) give_up(done.error()); // every other job would fail, too
      task.report.error = done.error();
      const bool stopped = done.error().kind == ErrorKind::interrupted;
      SweepScheduler::end(task, queue, stopped ? JobState::interrupted : JobState::failed);
    }
    return true;
  }

  // tell() and show() run under the mutex, so that one thread at a time calls the user's function.
  void tell(const SweepTask& task, const DeviceQueue& queue) {
    std::erase_if(now_.running, [&](const SweepProgress::Running& r) { return r.device == queue.device; });
    now_.done = options_.shared != nullptr ? options_.shared->done() : now_.done + 1;
    if (task.report.state != JobState::known) ++worked_;
    now_.ended = &task.report;
    publish();
    now_.ended = nullptr;
  }
  void show(const SweepTask& task, const DeviceQueue& queue, const Progress& progress) {
    const std::lock_guard lock(mutex_);
    auto at = std::find_if(now_.running.begin(), now_.running.end(),
                           [&](const SweepProgress::Running& r) { return r.device == queue.device; });
    if (at == now_.running.end()) at = now_.running.insert(at, {task.job, queue.device, {}});
    at->job = task.job;
    at->progress = progress;
    publish();
    at->progress.last = nullptr; // lives no longer than this call
  }
  void publish() {
    now_.elapsed_s = elapsed_s();
    const std::size_t worked = options_.shared != nullptr ? now_.done - std::min(done_before_, now_.done) : worked_;
    now_.eta_s =
        worked == 0 ? 0 : now_.elapsed_s / static_cast<double>(worked) * static_cast<double>(now_.total - now_.done);
    if (progress_) progress_(now_);
    if (stop_) halt(); // does not wait for the next poll of the main thread
  }

  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  const std::vector<SweepJob>& jobs_;
  const SweepOptions& options_;
  const std::function<void(const SweepProgress&)>& progress_;
  const std::atomic<bool>& stop_;
  const Clock::time_point start_ = Clock::now();
  const std::shared_ptr<Trace> trace_;

  std::mutex mutex_; // guards the members below, except for compilers_ and ahead_
  std::condition_variable changed_;
  SweepScheduler scheduler_;
  std::optional<Ledger> ledger_; // open during the whole sweep, so that a deleted database is noticed
  std::size_t described_ = 0, worked_ = 0, running_queues_ = options_.devices.size();
  bool planned_ = false;
  std::atomic<bool> halted_{false}; // by the user, or because of an error that ends the sweep
  bool cancelled_ = false;          // cancelled by a process that shares the jobs
  const std::size_t done_before_ = options_.shared != nullptr ? options_.shared->done() : 0;
  std::optional<Error> fatal_;
  SweepProgress now_;
  CompilePool compilers_;
  CompileAhead ahead_;
};

} // namespace

Result<SweepResult> run_sweep(const std::vector<SweepJob>& jobs, const SweepOptions& options,
                              const std::function<void(const SweepProgress&)>& progress,
                              const std::atomic<bool>& stop) {
  if (jobs.empty() || options.devices.empty())
    return fail(ErrorKind::bad_input, "a sweep needs at least one job and one device");
  std::shared_ptr<Trace> trace;
  if (!options.trace.empty()) {
    WT_TRY(auto opened, Trace::open(options.trace));
    trace = std::move(opened);
  }
  auto result = Sweep(jobs, options, progress, stop, trace).run();
  if (trace)
    if (auto closed = trace->close(); !closed && result) result->notes.push_back(closed.error().message);
  return result;
}

} // namespace warptune
