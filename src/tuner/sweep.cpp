#include "tuner/sweep.h"

#include "tuner/compile_ahead.h"
#include "tuner/compile_pool.h"
#include "tuner/device_worker.h"
#include "tuner/ledger.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace warptune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kStopPoll = std::chrono::milliseconds(50);

// A job on one model of device.
struct Task {
  std::size_t job = 0, model = 0;
  std::optional<std::size_t> lane; // where an earlier run left its session
  bool known = false;              // that session is finished
  bool running = false, ended = false;
  JobReport report;
};

// A device and the thread that works on it.
struct Lane {
  std::string device;
  std::optional<DeviceInfo> info;
  std::optional<Error> error; // it cannot be used
  std::size_t model = 0;
  bool served = false; // some session came to an end on it
  std::thread thread;
};

// Devices on which a configuration is as good as on the other.
std::string model_of(const Lane& lane) {
  if (!lane.info || lane.info->uuid.empty()) return lane.device;
  const DeviceInfo& d = *lane.info;
  return fmt::format("{} {} {} {} {}", d.backend, d.name, d.arch, d.limits.sm_count, d.memory_bytes);
}

class Sweep {
 public:
  Sweep(const std::vector<SweepJob>& jobs, const SweepOptions& options,
        const std::function<void(const SweepProgress&)>& progress, const std::atomic<bool>& stop,
        std::shared_ptr<Trace> trace)
      : jobs_(jobs), options_(options), progress_(progress), stop_(stop), trace_(std::move(trace)),
        lanes_(options.devices.size()),
        compilers_(compile_worker_count(options.compile_workers, static_cast<int>(lanes_.size())), trace_),
        ahead_(compilers_, options.database) {}

  Result<SweepResult> run() {
    std::unique_lock lock(mutex_);
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      lanes_[i].device = options_.devices[i];
      lanes_[i].thread = std::thread([this, i] { serve(lanes_[i]); });
    }
    while (running_lanes_ > 0 || !planned_) {
      if (!planned_ && described_ == lanes_.size()) plan();
      changed_.wait_for(lock, kStopPoll);
      if (stop_) halt();
    }
    lock.unlock();
    for (Lane& lane : lanes_) lane.thread.join();
    return finish();
  }

 private:
  SessionOptions session_options(const SweepJob& job, const Lane& lane) const {
    SessionOptions session = job.options;
    session.device = lane.device;
    session.database = options_.database;
    session.cache_directory = options_.cache_directory;
    session.worker_executable = options_.worker_executable;
    session.resume = options_.resume;
    session.part_of_sweep = true;
    return session;
  }
  WorkerCommand command(const std::string& device) const {
    return {options_.worker_executable, device, options_.cache_directory.string()};
  }

  void halt() {
    halted_ = true;
    changed_.notify_all();
  }

  // All lanes know what they are: who does what. Holds the mutex.
  void plan() {
    planned_ = true;
    std::vector<std::string> models;
    for (Lane& lane : lanes_) {
      // One of several that does not exist is a mistake in the command, to be said before hours of work.
      if (lane.error && lane.error->kind == ErrorKind::no_device && lanes_.size() > 1) {
        if (!fatal_) fatal_ = Error{lane.error->kind, fmt::format("device {}: {}", lane.device, lane.error->message)};
        halt();
        return;
      }
      lane.error.reset();
      const std::string model = model_of(lane);
      lane.model = static_cast<std::size_t>(std::find(models.begin(), models.end(), model) - models.begin());
      if (lane.model == models.size()) models.push_back(model);
    }
    for (std::size_t model = 0; model < models.size(); ++model)
      for (std::size_t job = 0; job < jobs_.size(); ++job) {
        Task& task = tasks_.emplace_back();
        task.job = job;
        task.model = model;
      }
    if (options_.resume) find_earlier();
    now_.total = tasks_.size();
    changed_.notify_all();
  }

  // A session is resumed on the device on which it began.
  void find_earlier() {
    auto ledger = Ledger::open(options_.database);
    if (!ledger) return; // the first session says why
    for (Task& task : tasks_)
      for (std::size_t i = 0; i < lanes_.size(); ++i) {
        const Lane& lane = lanes_[i];
        if (lane.model != task.model || !lane.info || task.known) continue;
        const SweepJob& job = jobs_[task.job];
        const auto state =
            ledger->earlier_state(make_identity(*job.kernel, job.problem, *lane.info, session_options(job, lane)));
        if (!state) continue;
        task.lane = i;
        task.known = *state == SessionState::finished;
      }
  }

  // A lane's life.
  void serve(Lane& lane) {
    const std::size_t place = static_cast<std::size_t>(&lane - lanes_.data());
    DeviceWorker device(command(lane.device), track_of(trace_, lane.device, "device"));
    const TraceTrack track = track_of(trace_, "coordinator", lane.device);
    const SessionTools tools{compilers_, device, track};
    describe(lane, device);
    while (Task* task = next(lane, place)) work_on(*task, lane, tools);
    const std::lock_guard lock(mutex_);
    --running_lanes_;
    changed_.notify_all();
  }

  void describe(Lane& lane, DeviceWorker& device) {
    const SweepJob& any = jobs_.front();
    device.assign({*any.kernel, any.problem, any.options.seed}, any.options.evaluate_timeout_s);
    auto info = device.describe();
    const std::lock_guard lock(mutex_);
    if (info)
      lane.info = std::move(*info);
    else
      lane.error = info.error();
    ++described_;
    changed_.notify_all();
  }

  // What this lane does next: what it left unfinished, else the first that waits; nothing when all is done or the
  // device is lost. While others work it waits, since they may lose theirs.
  Task* next(Lane& lane, std::size_t place) {
    std::unique_lock lock(mutex_);
    while (true) {
      if (halted_) return nullptr;
      if (planned_) {
        if (lane.error) return nullptr;
        Task* chosen = nullptr;
        bool others = false;
        for (Task& task : tasks_) {
          if (task.model != lane.model || task.ended) continue;
          const bool elsewhere = task.lane && *task.lane != place && !lanes_[*task.lane].error;
          others = others || task.running || elsewhere;
          if (task.running || elsewhere) continue;
          if (!chosen || (task.lane == place && chosen->lane != place)) chosen = &task;
        }
        if (chosen) {
          chosen->running = true;
          look_ahead(lane, place);
          return chosen;
        }
        if (!others) return nullptr;
      }
      changed_.wait(lock);
    }
  }

  // Holds the mutex.
  void look_ahead(const Lane& lane, std::size_t place) {
    if (!lane.info) return;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      Task& task = tasks_[i];
      if (task.model != lane.model || task.ended || task.running || task.known) continue;
      if (task.lane && *task.lane != place) continue;
      if (!wished_.insert(i).second) continue;
      ahead_.want(i, jobs_[task.job], command(compiling_device(lane.device)), *lane.info);
      return;
    }
  }

  void work_on(Task& task, Lane& lane, const SessionTools& tools) {
    ahead_.forget(static_cast<std::size_t>(&task - tasks_.data()));
    const SweepJob& job = jobs_[task.job];
    auto done = run_session(
        *job.kernel, job.problem, session_options(job, lane), tools,
        [&](const Progress& progress) { show(task, lane, progress); }, halted_);
    // Whoever ended for want of a device may have broken its worker itself. A fresh one that can run our own kernels
    // says that the device is well.
    std::optional<Error> lost;
    if (!done && done.error().kind == ErrorKind::no_device)
      if (auto alive = tools.device.measure_roofs(); !alive) lost = alive.error();
    const std::lock_guard lock(mutex_);
    task.running = false;
    changed_.notify_all();
    if (lost) {
      lane.error = std::move(lost);
      if (others_of(lane)) return; // one of them takes it
    }
    if (done) {
      lane.served = true;
      end(task, lane, done->interrupted ? JobState::interrupted : done->known ? JobState::known : JobState::finished);
      task.report.result = std::move(*done);
    } else {
      if (done.error().kind == ErrorKind::database) { // it would befall every other job, too
        if (!fatal_) fatal_ = done.error();
        halt();
      }
      task.report.error = done.error();
      end(task, lane, JobState::failed);
    }
    tell(task, lane);
  }

  bool others_of(const Lane& lane) const {
    return std::any_of(lanes_.begin(), lanes_.end(),
                       [&](const Lane& l) { return &l != &lane && l.model == lane.model && !l.error; });
  }

  static void end(Task& task, const Lane& lane, JobState state) {
    task.ended = true;
    task.report.job = task.job;
    task.report.device = lane.device;
    task.report.state = state;
  }

  // Both hold the mutex, which makes the user's function one thread's at a time.
  void tell(const Task& task, const Lane& lane) {
    std::erase_if(now_.running, [&](const SweepProgress::Running& r) { return r.device == lane.device; });
    ++now_.done;
    if (task.report.state != JobState::known) ++worked_;
    now_.ended = &task.report;
    publish();
    now_.ended = nullptr;
  }
  void show(const Task& task, const Lane& lane, const Progress& progress) {
    const std::lock_guard lock(mutex_);
    auto at = std::find_if(now_.running.begin(), now_.running.end(),
                           [&](const SweepProgress::Running& r) { return r.device == lane.device; });
    if (at == now_.running.end()) at = now_.running.insert(at, {task.job, lane.device, {}});
    at->job = task.job;
    at->progress = progress;
    publish();
    at->progress.last = nullptr; // lives no longer than this call
  }
  void publish() {
    now_.elapsed_s = elapsed_s();
    now_.eta_s =
        worked_ == 0 ? 0 : now_.elapsed_s / static_cast<double>(worked_) * static_cast<double>(now_.total - now_.done);
    if (progress_) progress_(now_);
    if (stop_) halt(); // sooner than the next look of the main thread
  }

  Result<SweepResult> finish() {
    if (fatal_) return tl::make_unexpected(*fatal_);
    SweepResult result;
    bool served = false;
    for (const Lane& lane : lanes_) {
      served = served || lane.served;
      if (lane.error)
        result.notes.push_back(fmt::format("the device {} was given up: {}", lane.device, lane.error->message));
    }
    for (const Lane& lane : lanes_)
      if (lane.error && !served) return tl::make_unexpected(*lane.error);
    for (Task& task : tasks_) {
      // Whoever asked to stop when all was done has stopped nothing.
      const bool done = task.ended && task.report.state != JobState::interrupted;
      result.interrupted = result.interrupted || (stop_ && !done);
      task.report.job = task.job;
      result.jobs.push_back(std::move(task.report));
    }
    result.wall_s = elapsed_s();
    return result;
  }

  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  const std::vector<SweepJob>& jobs_;
  const SweepOptions& options_;
  const std::function<void(const SweepProgress&)>& progress_;
  const std::atomic<bool>& stop_;
  const Clock::time_point start_ = Clock::now();
  const std::shared_ptr<Trace> trace_;

  std::mutex mutex_; // guards what follows, but for the pool
  std::condition_variable changed_;
  std::vector<Lane> lanes_;
  std::vector<Task> tasks_;      // fixed once planned
  std::set<std::size_t> wished_; // tasks that were compiled ahead
  std::size_t described_ = 0, worked_ = 0, running_lanes_ = options_.devices.size();
  bool planned_ = false;
  std::atomic<bool> halted_{false}; // by the user, or since nothing could be stored any more
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
    return fail(ErrorKind::bad_input, "a sweep needs a job and a device at least");
  std::shared_ptr<Trace> trace;
  if (!options.trace.empty()) {
    auto opened = Trace::open(options.trace);
    if (!opened) return tl::make_unexpected(opened.error());
    trace = std::move(*opened);
  }
  auto result = Sweep(jobs, options, progress, stop, trace).run();
  if (trace)
    if (auto closed = trace->close(); !closed && result) result->notes.push_back(closed.error().message);
  return result;
}

} // namespace warptune
