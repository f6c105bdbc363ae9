// CompileQueue: one customer of the compile pool (compile_pool.h, which makes it and works for it).
#pragma once

#include "core/result.h"
#include "worker/backend.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace warptune {

// Customers in the background (work that may be wanted later) get what the others leave, the oldest first.
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

} // namespace warptune
