// CompileQueue: one client of the compile pool (compile_pool.h), which creates and serves it.
#pragma once

#include "core/result.h"
#include "worker/backend.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace warptune {

// Background clients, whose work may be needed later, get the workers that the others leave idle, the oldest client
// first.
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

// A client of the pool: a kernel and problem whose configurations are compiled. Used by one thread.
class CompileQueue {
 public:
  ~CompileQueue(); // drops jobs that have not started; results of running jobs go to the cubin cache
  CompileQueue(const CompileQueue&) = delete;
  CompileQueue& operator=(const CompileQueue&) = delete;

  // Makes the pool's workers load the kernel, for example while the device is still being opened.
  void prepare();
  void set_device(const DeviceInfo& device); // call it before the first submit()
  // `all_wanted`: if compiling turns out to be slow, the jobs that will probably take longest go first, so that all
  // jobs end sooner. Otherwise jobs go in the order of submission.
  void set_all_wanted(bool all_wanted);
  void submit(CompileJob job);
  // Returns the compilations that finished since the last call. Never blocks. Error: no worker can be set up for the
  // kernel.
  Result<std::vector<Compilation>> take();
  void drop_queued();
  int descriptor() const; // readable when take() has a result or an error

  struct Shared; // the pool's data for this client

 private:
  friend class CompilePool;
  CompileQueue(CompilePool& pool, std::shared_ptr<Shared> shared);
  CompilePool& pool_;
  std::shared_ptr<Shared> shared_;
};

} // namespace warptune
