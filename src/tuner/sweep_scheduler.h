// Who does what in a sweep: its tasks, its device queues, and which task a queue takes next. A sweep's state in memory
// and nothing else: no thread, no device and no trial; whoever uses it from several threads holds a mutex.
#pragma once

#include "tuner/ledger.h"
#include "tuner/sweep_job.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warptune {

// A job on one model of device.
struct SweepTask {
  std::size_t job = 0, model = 0;
  std::optional<std::size_t> queue; // where an earlier run left its session
  bool known = false;               // that session is finished
  bool running = false, ended = false;
  JobReport report;
};

// A device and what works on it.
struct DeviceQueue {
  std::string device;
  std::optional<DeviceInfo> info;
  std::optional<Error> error; // it cannot be used
  std::size_t model = 0;
  bool served = false; // some session came to an end on it
};

class SweepScheduler {
 public:
  SweepScheduler(const std::vector<SweepJob>& jobs, const SweepOptions& options);

  std::vector<DeviceQueue>& queues() { return queues_; }
  const std::vector<SweepTask>& tasks() const { return tasks_; } // fixed once planned
  const SweepJob& job_of(const SweepTask& task) const { return jobs_[task.job]; }
  SessionOptions session_options(const SweepJob& job, const DeviceQueue& queue) const;

  // Once every device is described: makes the tasks. Error (kind no_device): one of several devices does not exist.
  Result<void> plan();
  // What sessions of earlier runs there are.
  void find_earlier(const Ledger& ledger);

  // What the queue at `place` does next: what it left unfinished, else the first that waits. Nothing: its device is
  // lost, or no task waits; then `others` says that some may still come back from other queues.
  SweepTask* take(std::size_t place, bool& others);
  // A task that the queue may come to, once each; its candidates may be compiled ahead.
  std::optional<std::size_t> prefetch(std::size_t place);
  bool others_of(const DeviceQueue& queue) const; // of its model, and well
  static void end(SweepTask& task, const DeviceQueue& queue, JobState state);

  // At the end of it all; the reports move out. `stopped`: the user asked to. Error: no device could be used.
  Result<SweepResult> result(bool stopped);

 private:
  const std::vector<SweepJob>& jobs_;
  const SweepOptions& options_;
  std::vector<DeviceQueue> queues_;
  std::vector<SweepTask> tasks_;
  std::set<std::size_t> prefetched_; // tasks that were compiled ahead
};

} // namespace warptune
