// CompilePool: worker processes that only compile. They compile candidates before the devices need them, for all
// sessions of a run. Cubins pass through the cubin cache, so messages are small. The workers are processes because
// sixteen processes compile twice as fast as sixteen threads. If a worker dies or hangs, only its candidate fails and
// the pool continues. The pool runs in its own thread. Each client has a CompileQueue.
#pragma once

#include "worker/compile_queue.h"
#include "worker/trace.h"
#include "worker/worker_process.h"

#include <memory>
#include <string>

namespace warptune {

// Returns "cuda" for "cuda:1" and "auto". A process that only compiles opens no device, so it can serve all devices.
std::string compiling_device(const std::string& device);

// Returns `asked` if it is above 0; otherwise the number of cores minus `devices`, but at most 16 per device.
int compile_worker_count(int asked, int devices);

class CompilePool {
 public:
  // `workers`: the maximum number of processes, each of which is started when there is work for it. The worker
  // processes have a lower priority than the processes that measure times.
  explicit CompilePool(int workers, const std::shared_ptr<Trace>& trace = {});
  ~CompilePool(); // kills the worker processes
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  // Makes a queue for a client. Clients with the same urgency share the workers evenly.
  std::unique_ptr<CompileQueue> open(WorkerCommand command, ProblemSetup setup, double timeout_s,
                                     CompileUrgency urgency = CompileUrgency::now);

 private:
  friend class CompileQueue;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
