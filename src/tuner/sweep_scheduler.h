// SweepScheduler: a sweep's tasks and device queues, and the rule that chooses a queue's next task. Has only state: no
// threads, devices or trials. Threads that use it must hold a common mutex.
#pragma once

#include "tuner/ledger.h"
#include "tuner/sweep_job.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warptune {

// One job on one device model.
struct SweepTask {
  std::size_t job = 0, model = 0;
  std::optional<std::size_t> queue; // the queue of the device on which an earlier run began this task's session
  bool known = false;               // whether the earlier run's session is finished
  bool running = false, ended = false;
  JobReport report;
};

// The queue of one device, with the state of its worker.
struct DeviceQueue {
  std::string device;
  std::optional<DeviceInfo> info;
  std::optional<Error> error; // set if the device cannot be used
  std::size_t model = 0;
  bool served = false; // whether any session has ended on this device
};

class SweepScheduler {
 public:
  SweepScheduler(const std::vector<SweepJob>& jobs, const SweepOptions& options);

  std::vector<DeviceQueue>& queues() { return queues_; }
  const std::vector<SweepTask>& tasks() const { return tasks_; } // all tasks; the list is fixed after plan()
  const SweepJob& job_of(const SweepTask& task) const { return jobs_[task.job]; }
  SessionOptions session_options(const SweepJob& job, const DeviceQueue& queue) const;
  // Returns the task for a shared job that the queue at `place` has received. The task's report is empty.
  SweepTask* task_of(std::size_t job, std::size_t place);

  // Makes the tasks. Call this when all devices are described. Error (no_device): several devices were given, and one
  // does not exist.
  Result<void> plan();
  // Looks for each task's session in the ledger: an unfinished one stays on its device, a finished one is `known`.
  void find_earlier(const Ledger& ledger);

  // Returns the next task for the queue at `place`: a task that an earlier run left unfinished on the queue's device
  // or, if there is none, the first waiting task. Null: the device is lost, or no task is waiting; `others` then says
  // whether other queues may still hand tasks back.
  SweepTask* take(std::size_t place, bool& others);
  // Returns a task that the queue may run later, so that its candidates can be compiled ahead. Returns each task only
  // once.
  std::optional<std::size_t> prefetch(std::size_t place);
  bool others_of(const DeviceQueue& queue) const; // whether another usable device is of the same GPU model
  static void end(SweepTask& task, const DeviceQueue& queue, JobState state);

  // Call this at the end of the sweep, because it moves the reports out. `stopped`: the user stopped the sweep. Error:
  // no device could be used.
  Result<SweepResult> result(bool stopped);

 private:
  const std::vector<SweepJob>& jobs_;
  const SweepOptions& options_;
  std::vector<DeviceQueue> queues_;
  std::vector<SweepTask> tasks_;
  std::set<std::size_t> prefetched_; // tasks that prefetch() has returned
};

} // namespace warptune
