// CompilePool: worker processes that only compile, ahead of the devices, shared by every session of a run. Cubins are
// passed through the cubin cache by hash, so messages are small. It uses processes, because sixteen of them compile
// twice as fast as sixteen threads. If a worker dies or hangs, only its candidate fails; the pool continues. The pool
// runs in its own thread; each client has a CompileQueue.
#pragma once

#include "worker/compile_queue.h"
#include "worker/trace.h"
#include "worker/worker_process.h"

#include <memory>
#include <string>

namespace warptune {

// "cuda:1" and "auto" -> "cuda": a process that only compiles opens no device, so it serves all devices.
std::string compiling_device(const std::string& device);

// Returns `asked` if it is above 0, otherwise the number of cores minus `devices`, at most 16 per device.
int compile_worker_count(int asked, int devices);

class CompilePool {
 public:
  // `workers`: at most this many processes; each starts when there is work for it. They have a lower priority than the
  // processes that measure times.
  explicit CompilePool(int workers, const std::shared_ptr<Trace>& trace = {});
  ~CompilePool(); // kills them
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  // Clients of the same urgency share the workers evenly.
  std::unique_ptr<CompileQueue> open(WorkerCommand command, ProblemSetup setup, double timeout_s,
                                     CompileUrgency urgency = CompileUrgency::now);

 private:
  friend class CompileQueue;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
