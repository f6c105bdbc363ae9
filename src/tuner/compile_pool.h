// CompilePool: worker processes that only compile, ahead of the device. Cubins travel by hash through the cubin cache,
// so a result is small. Processes and not threads: sixteen of them compile twice as fast. A worker that dies or hangs
// costs its candidate, never the pool.
#pragma once

#include "tuner/worker_process.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace warptune {

class CompilePool {
 public:
  // `workers` processes at most; each starts when there is work for it.
  CompilePool(const WorkerCommand& command, ProblemSetup setup, DeviceInfo device, int workers, double timeout_s);

  struct Job {
    std::int64_t ticket = -1;
    Config config;
  };
  struct Compilation {
    std::int64_t ticket = -1;
    Compiled compiled;
  };

  void submit(Job job) { queue_.push_back(std::move(job)); }
  // Hands queued jobs to idle workers and returns what is finished. Never blocks. Error: no worker can be set up.
  Result<std::vector<Compilation>> pump();
  void add_workers(std::vector<WorkerProcess*>& to_wait_for) const;
  void drop_queued() { queue_.clear(); }

 private:
  struct Slot {
    explicit Slot(const WorkerCommand& command) : process(command) {}
    WorkerProcess process;
    bool ready = false, setting_up = false, has_job = false;
    int failed_starts = 0, kills = 0;
    Job job;
  };
  void begin(Slot& slot);
  void finish(Slot& slot, CallOutcome outcome, std::vector<Compilation>& done);
  bool set_up(Slot& slot, const CallOutcome& outcome);

  ProblemSetup setup_;
  DeviceInfo device_;
  double timeout_s_;
  std::deque<Job> queue_;
  std::vector<std::unique_ptr<Slot>> slots_;
  Error setup_error_;
};

} // namespace warptune
