// CompilePool: worker processes that only compile, ahead of the devices, shared by every session of a run. Cubins
// travel by hash through the cubin cache, so a result is small. Processes and not threads: sixteen of them compile
// twice as fast. A worker that dies or hangs costs its candidate, never the pool. The pool works in a thread of its
// own; each customer holds a CompileQueue.
#pragma once

#include "worker/compile_queue.h"
#include "worker/trace.h"
#include "worker/worker_process.h"

#include <memory>
#include <string>

namespace warptune {

// "cuda:1" and "auto" -> "cuda": whoever only compiles opens no device, so one process serves them all.
std::string compiling_device(const std::string& device);

// As many as there are cores left by `devices` device processes, at most 16 for each; `asked` above 0 instead.
int compile_worker_count(int asked, int devices);

class CompilePool {
 public:
  // `workers` processes at most; each starts when there is work for it. They yield to the processes that time.
  explicit CompilePool(int workers, const std::shared_ptr<Trace>& trace = {});
  ~CompilePool(); // kills them
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  // Customers share the workers evenly, each urgency by itself.
  std::unique_ptr<CompileQueue> open(WorkerCommand command, ProblemSetup setup, double timeout_s,
                                     CompileUrgency urgency = CompileUrgency::now);

 private:
  friend class CompileQueue;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
