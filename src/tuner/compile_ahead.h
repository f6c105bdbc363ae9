// CompileAhead: compiles the first candidates of the jobs that come next, with whatever the compilers have to spare, so
// that a device does not wait when its next session begins: that session then finds them in the cubin cache. Only ever
// saves time; what goes wrong here is said by the session itself.
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
  // `database`: the sessions'. `stop` ends the commands that it runs.
  CompileAhead(CompilePool& pool, std::filesystem::path database, const std::atomic<bool>& stop);
  ~CompileAhead();
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;

  // Both return at once. `job` must live until forget() or the end.
  void want(std::size_t task, const SweepJob& job, WorkerCommand command, const DeviceInfo& device);
  void forget(std::size_t task); // its session begins: what is not yet begun is the session's

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
  std::optional<std::size_t> at_work_; // the task of the thread, until it is forgotten
  bool ending_ = false;
  std::thread thread_; // the last member: it uses the others
};

} // namespace warptune
