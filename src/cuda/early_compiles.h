// Compiles the programs that a device and a problem will need: the utility kernels and the reference. Meanwhile the
// driver creates the context, which takes about as long as the compiles. The results go to the cubin cache. Code that
// needs such a program waits for it here, then reads it from the cache. Needs no device and no buffers.
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
  // Starts one thread per request, because there are few. `utilities`: requests for the CubinProvider, which completes
  // their options. `complete`: requests that have all options. The destructor waits for running compiles.
  EarlyCompiles(const CubinProvider& provider, const CubinCache& cache, std::vector<CompileRequest> utilities,
                std::vector<CompileRequest> complete);

  // If this request is one of the early requests, waits until its compile has ended. The cache then shows whether the
  // compile succeeded.
  void wait(const CompileRequest& request) const;

 private:
  std::map<std::string, std::future<void>> running_; // keyed by compile_key
};

// The utility programs needed to verify a problem, and the problem's reference kernel. Parts that cannot be planned are
// left out.
struct ProblemPrograms {
  std::vector<CompileRequest> utilities, complete;
};
ProblemPrograms find_programs(const Kernel& kernel, const Problem& problem, const DeviceInfo& device);

} // namespace warptune
