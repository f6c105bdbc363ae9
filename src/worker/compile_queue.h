// CompileQueue: one client's access to the compile pool (compile_pool.h), which creates the queue and serves it.
#pragma once

#include "core/result.h"
#include "worker/backend.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace warptune {

// Background clients request work that may be needed later. They get only the workers that the other clients leave
// idle. The oldest background client comes first.
enum class CompileUrgency { now, background };

struct CompileJob {
  std::int64_t ticket = -1;
  Config config;
};

struct Compilation {
  std::int64_t ticket = -1;
  Compiled compiled;
};

class CompilePool;

// A client of the pool: configurations of one kernel and problem to compile. Used by one thread.
class CompileQueue {
 public:
  ~CompileQueue(); // drops jobs that have not started; results of running jobs still reach the cubin cache
  CompileQueue(const CompileQueue&) = delete;
  CompileQueue& operator=(const CompileQueue&) = delete;

  // Lets the pool's workers load the kernel before the first job, for example while the device is being opened.
  void prepare();
  void set_device(const DeviceInfo& device); // call before the first submit()
  // `all_wanted`: the caller needs all submitted jobs. If compiling turns out to be slow, the jobs that will probably
  // take longest are then compiled first, so that the last one ends sooner. Otherwise jobs are compiled in the order of
  // submission.
  void set_all_wanted(bool all_wanted);
  void submit(CompileJob job);
  // Returns the compilations that have ended since the last call. Never blocks. Error: no worker could load the kernel.
  Result<std::vector<Compilation>> take();
  void drop_queued();
  int descriptor() const; // becomes readable when take() has a result or an error

  struct Shared; // the pool's data about this client

 private:
  friend class CompilePool;
  CompileQueue(CompilePool& pool, std::shared_ptr<Shared> shared);
  CompilePool& pool_;
  std::shared_ptr<Shared> shared_;
};

} // namespace warptune
