// CompileAhead: compiles the first candidates of later jobs while compilers are idle. When such a job's session begins,
// the session finds the cubins in the cubin cache, so its device need not wait. Compiling ahead only saves time, so
// errors are ignored here; the session reports them.
#pragma once

#include "tuner/sweep_job.h"
#include "worker/compile_pool.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace warptune {

class CompileAhead {
 public:
  // `database`: the database of the sessions. `stop`: ends commands that this object runs.
  CompileAhead(CompilePool& pool, std::filesystem::path database, const std::atomic<bool>& stop);
  ~CompileAhead();
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;

  // want() and forget() return immediately. `job` must live until forget() or until this object is destroyed.
  void want(std::size_t task, const SweepJob& job, WorkerCommand command, const DeviceInfo& device);
  void forget(std::size_t task); // call when the task's session begins; the session then compiles the rest itself

 private:
  struct Prefetch {
    std::size_t task;
    const SweepJob* job;
    WorkerCommand command;
    DeviceInfo device;
  };
  void work();
  void submit(const Prefetch& prefetch, CompileQueue& queue) const;

  CompilePool& pool_;
  const std::filesystem::path database_;
  const std::atomic<bool>& stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Prefetch> prefetches_;
  std::map<std::size_t, std::shared_ptr<CompileQueue>> queues_;
  std::optional<std::size_t> at_work_; // the task that the thread works on; reset by forget()
  bool ending_ = false;
  std::thread thread_; // last, because the thread uses the members above
};

} // namespace warptune
