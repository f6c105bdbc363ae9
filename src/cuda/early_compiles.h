// Compiles what a device and a problem will need while the driver still makes the context, which takes as long: the
// utility kernels and the oracle. Results go into the cubin cache; whoever needs one waits here and finds it there.
// Knows no device and no buffers.
#pragma once

#include "gpu/device_program.h"
#include "jit/cubin_cache.h"
#include "jit/template_store.h"

#include <future>
#include <map>
#include <string>
#include <vector>

namespace warptune {

class EarlyCompiles {
 public:
  EarlyCompiles() = default;
  // A thread each: they are few and start together. `utilities` as a CubinProvider takes them. `complete`: with all
  // their options. The destructor waits for what is under way.
  EarlyCompiles(const CubinProvider& provider, const CubinCache& cache, std::vector<CompileRequest> utilities,
                std::vector<CompileRequest> complete);

  // Until this request is compiled, if it is one of them; success and failure are the cache's to tell.
  void wait(const CompileRequest& request) const;

 private:
  std::map<std::string, std::future<void>> running_; // by compile_key
};

// The utility programs that verifying a problem takes, and its oracle. Nothing of what cannot be planned.
struct ProblemPrograms {
  std::vector<CompileRequest> utilities, complete;
};
ProblemPrograms find_programs(const Kernel& kernel, const Problem& problem, const DeviceInfo& device);

} // namespace warptune
