#include "tuner/sweep_scheduler.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

// Equal for devices on which a configuration is equally good.
std::string model_of(const DeviceQueue& queue) {
  if (!queue.info || queue.info->uuid.empty()) return queue.device;
  const DeviceInfo& d = *queue.info;
  return fmt::format("{} {} {} {} {}", d.backend, d.name, d.arch, d.limits.sm_count, d.memory_bytes);
}

} // namespace

SweepScheduler::SweepScheduler(const std::vector<SweepJob>& jobs, const SweepOptions& options)
    : jobs_(jobs), options_(options), queues_(options.devices.size()) {
  for (std::size_t i = 0; i < queues_.size(); ++i) queues_[i].device = options.devices[i];
}

SessionOptions SweepScheduler::session_options(const SweepJob& job, const DeviceQueue& queue) const {
  SessionOptions session = job.options;
  session.device = queue.device;
  session.database = options_.database;
  session.cache_directory = options_.cache_directory;
  session.worker_executable = options_.worker_executable;
  session.resume = options_.resume;
  session.part_of_sweep = true;
  return session;
}

Result<void> SweepScheduler::plan() {
  std::vector<std::string> models;
  for (DeviceQueue& queue : queues_) {
    // If one of several devices does not exist, the command is wrong. This is reported before hours of work.
    if (queue.error && queue.error->kind == ErrorKind::no_device && queues_.size() > 1)
      return fail(queue.error->kind, fmt::format("device {}: {}", queue.device, queue.error->message));
    if (options_.shared == nullptr) queue.error.reset(); // a session reports why; shared jobs are left to others
    const std::string model = model_of(queue);
    queue.model = static_cast<std::size_t>(std::find(models.begin(), models.end(), model) - models.begin());
    if (queue.model == models.size()) models.push_back(model);
  }
  for (std::size_t model = 0; model < models.size(); ++model)
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      SweepTask& task = tasks_.emplace_back();
      task.job = job;
      task.model = model;
    }
  return {};
}

// A session is resumed on the device on which it began.
void SweepScheduler::find_earlier(const Ledger& ledger) {
  for (SweepTask& task : tasks_)
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      const DeviceQueue& queue = queues_[i];
      if (queue.model != task.model || !queue.info || task.known) continue;
      const SweepJob& job = job_of(task);
      const auto state =
          ledger.earlier_state(make_identity(*job.kernel, job.problem, *queue.info, session_options(job, queue)));
      if (!state) continue;
      task.queue = i;
      task.known = *state == SessionState::finished;
    }
}

SweepTask* SweepScheduler::take(std::size_t place, bool& others) {
  others = false;
  const DeviceQueue& queue = queues_[place];
  if (queue.error) return nullptr;
  SweepTask* chosen = nullptr;
  for (SweepTask& task : tasks_) {
    if (task.model != queue.model || task.ended) continue;
    const bool elsewhere = task.queue && *task.queue != place && !queues_[*task.queue].error;
    others = others || task.running || elsewhere;
    if (task.running || elsewhere) continue;
    if (!chosen || (task.queue == place && chosen->queue != place)) chosen = &task;
  }
  if (chosen) chosen->running = true;
  return chosen;
}

SweepTask* SweepScheduler::task_of(std::size_t job, std::size_t place) {
  SweepTask& task = tasks_[queues_[place].model * jobs_.size() + job]; // in the order in which plan() makes the tasks
  task.ended = false;
  task.running = true;
  task.report = {};
  return &task;
}

std::optional<std::size_t> SweepScheduler::prefetch(std::size_t place) {
  const DeviceQueue& queue = queues_[place];
  if (!queue.info) return std::nullopt;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const SweepTask& task = tasks_[i];
    if (task.model != queue.model || task.ended || task.running || task.known) continue;
    if (task.queue && *task.queue != place) continue;
    if (prefetched_.insert(i).second) return i;
  }
  return std::nullopt;
}

bool SweepScheduler::others_of(const DeviceQueue& queue) const {
  return std::any_of(queues_.begin(), queues_.end(),
                     [&](const DeviceQueue& q) { return &q != &queue && q.model == queue.model && !q.error; });
}

void SweepScheduler::end(SweepTask& task, const DeviceQueue& queue, JobState state) {
  task.ended = true;
  task.report.job = task.job;
  task.report.device = queue.device;
  task.report.state = state;
}

Result<SweepResult> SweepScheduler::result(bool stopped) {
  SweepResult result;
  bool served = false;
  for (const DeviceQueue& queue : queues_) {
    served = served || queue.served;
    if (queue.error)
      result.notes.push_back(fmt::format("no more jobs run on the device {}: {}", queue.device, queue.error->message));
  }
  for (const DeviceQueue& queue : queues_)
    if (queue.error && !served) return fail(*queue.error);
  // Other processes take the remaining shared jobs.
  if (options_.shared != nullptr) {
    result.interrupted = stopped;
    std::erase_if(tasks_, [](const SweepTask& task) { return !task.ended; });
  }
  for (SweepTask& task : tasks_) {
    // A stop request after the end of a job does not interrupt the job.
    const bool done = task.ended && task.report.state != JobState::interrupted;
    result.interrupted = result.interrupted || (stopped && !done);
    task.report.job = task.job;
    result.jobs.push_back(std::move(task.report));
  }
  return result;
}

} // namespace warptune
