#include "tuner/sweep_scheduler.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

// Devices on which a configuration is as good as on the other.
std::string model_of(const SweepLane& lane) {
  if (!lane.info || lane.info->uuid.empty()) return lane.device;
  const DeviceInfo& d = *lane.info;
  return fmt::format("{} {} {} {} {}", d.backend, d.name, d.arch, d.limits.sm_count, d.memory_bytes);
}

} // namespace

SweepScheduler::SweepScheduler(const std::vector<SweepJob>& jobs, const SweepOptions& options)
    : jobs_(jobs), options_(options), lanes_(options.devices.size()) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i].device = options.devices[i];
}

SessionOptions SweepScheduler::session_options(const SweepJob& job, const SweepLane& lane) const {
  SessionOptions session = job.options;
  session.device = lane.device;
  session.database = options_.database;
  session.cache_directory = options_.cache_directory;
  session.worker_executable = options_.worker_executable;
  session.resume = options_.resume;
  session.part_of_sweep = true;
  return session;
}

Result<void> SweepScheduler::plan() {
  std::vector<std::string> models;
  for (SweepLane& lane : lanes_) {
    // One of several that does not exist is a mistake in the command, to be said before hours of work.
    if (lane.error && lane.error->kind == ErrorKind::no_device && lanes_.size() > 1)
      return fail(lane.error->kind, fmt::format("device {}: {}", lane.device, lane.error->message));
    lane.error.reset();
    const std::string model = model_of(lane);
    lane.model = static_cast<std::size_t>(std::find(models.begin(), models.end(), model) - models.begin());
    if (lane.model == models.size()) models.push_back(model);
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
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const SweepLane& lane = lanes_[i];
      if (lane.model != task.model || !lane.info || task.known) continue;
      const SweepJob& job = job_of(task);
      const auto state =
          ledger.earlier_state(make_identity(*job.kernel, job.problem, *lane.info, session_options(job, lane)));
      if (!state) continue;
      task.lane = i;
      task.known = *state == SessionState::finished;
    }
}

SweepTask* SweepScheduler::take(std::size_t place, bool& others) {
  others = false;
  const SweepLane& lane = lanes_[place];
  if (lane.error) return nullptr;
  SweepTask* chosen = nullptr;
  for (SweepTask& task : tasks_) {
    if (task.model != lane.model || task.ended) continue;
    const bool elsewhere = task.lane && *task.lane != place && !lanes_[*task.lane].error;
    others = others || task.running || elsewhere;
    if (task.running || elsewhere) continue;
    if (!chosen || (task.lane == place && chosen->lane != place)) chosen = &task;
  }
  if (chosen) chosen->running = true;
  return chosen;
}

std::optional<std::size_t> SweepScheduler::prefetch(std::size_t place) {
  const SweepLane& lane = lanes_[place];
  if (!lane.info) return std::nullopt;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const SweepTask& task = tasks_[i];
    if (task.model != lane.model || task.ended || task.running || task.known) continue;
    if (task.lane && *task.lane != place) continue;
    if (prefetched_.insert(i).second) return i;
  }
  return std::nullopt;
}

bool SweepScheduler::others_of(const SweepLane& lane) const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [&](const SweepLane& l) { return &l != &lane && l.model == lane.model && !l.error; });
}

void SweepScheduler::end(SweepTask& task, const SweepLane& lane, JobState state) {
  task.ended = true;
  task.report.job = task.job;
  task.report.device = lane.device;
  task.report.state = state;
}

Result<SweepResult> SweepScheduler::result(bool stopped) {
  SweepResult result;
  bool served = false;
  for (const SweepLane& lane : lanes_) {
    served = served || lane.served;
    if (lane.error)
      result.notes.push_back(fmt::format("the device {} was given up: {}", lane.device, lane.error->message));
  }
  for (const SweepLane& lane : lanes_)
    if (lane.error && !served) return fail(*lane.error);
  for (SweepTask& task : tasks_) {
    // Whoever asked to stop when all was done has stopped nothing.
    const bool done = task.ended && task.report.state != JobState::interrupted;
    result.interrupted = result.interrupted || (stopped && !done);
    task.report.job = task.job;
    result.jobs.push_back(std::move(task.report));
  }
  return result;
}

} // namespace warptune
