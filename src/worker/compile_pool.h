// CompilePool: worker processes that only compile, ahead of the devices, shared by every session of a run. Cubins
// travel by hash through the cubin cache, so a result is small. Processes and not threads: sixteen of them compile
// twice as fast. A worker that dies or hangs costs its candidate, never the pool. The pool works in a thread of its
// own; each customer holds a CompileQueue.
#pragma once

#include "worker/trace.h"
#include "worker/worker_process.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warptune {

// "cuda:1" and "auto" -> "cuda": whoever only compiles opens no device, so one process serves them all.
std::string compiling_device(const std::string& device);

// As many as there are cores left by `devices` device processes, at most 16 for each; `asked` above 0 instead.
int compile_worker_count(int asked, int devices);

struct CompileJob {
  std::int64_t ticket = -1;
  Config config;
};

struct Compilation {
  std::int64_t ticket = -1;
  Compiled compiled;
};

class CompilePool;

// One customer of the pool: a kernel and problem whose configurations are compiled. Used by one thread.
class CompileQueue {
 public:
  ~CompileQueue(); // what is not yet begun is dropped, what is under way ends in the cubin cache
  CompileQueue(const CompileQueue&) = delete;
  CompileQueue& operator=(const CompileQueue&) = delete;

  // Compilers get ready for the kernel while the device is still being opened.
  void prepare();
  void set_device(const DeviceInfo& device); // before the first submit()
  // Whether those that will probably compile longest go first, once compiling turns out to be slow: all are wanted, and
  // the sooner the last is finished the better. Else they go in the order of submission.
  void set_all_wanted(bool all_wanted);
  void submit(CompileJob job);
  // What is finished since the last call. Never blocks. Error: no worker can be set up for the kernel.
  Result<std::vector<Compilation>> take();
  void drop_queued();
  int descriptor() const; // readable when take() has something to say

  struct Shared; // what the pool knows of it

 private:
  friend class CompilePool;
  CompileQueue(CompilePool& pool, std::shared_ptr<Shared> shared);
  CompilePool& pool_;
  std::shared_ptr<Shared> shared_;
};

class CompilePool {
 public:
  // `workers` processes at most; each starts when there is work for it. They yield to the processes that time.
  explicit CompilePool(int workers, const std::shared_ptr<Trace>& trace = {});
  ~CompilePool(); // kills them
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  // Customers share the workers evenly; those in the background (work that may be wanted later) get what the others
  // leave, the oldest first.
  enum class Urgency { now, background };
  std::unique_ptr<CompileQueue> open(WorkerCommand command, ProblemSetup setup, double timeout_s,
                                     Urgency urgency = Urgency::now);

 private:
  friend class CompileQueue;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
