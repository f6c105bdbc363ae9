// While the driver creates the context, compiles the programs that a device and a problem will need: the utility
// kernels and the reference kernel. This takes about as long as creating the context. Results go to the cubin cache;
// code that needs one waits here and then finds it there. Does not depend on a device or buffers.
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
  // One thread per request, because there are few and all start together. `utilities`: requests for the CubinProvider.
  // `complete`: requests with all their options. The destructor waits for running compiles.
  EarlyCompiles(const CubinProvider& provider, const CubinCache& cache, std::vector<CompileRequest> utilities,
                std::vector<CompileRequest> complete);

  // Waits for this request's compile, if it is one of the early requests. The cache then shows whether the compile
  // succeeded.
  void wait(const CompileRequest& request) const;

 private:
  std::map<std::string, std::future<void>> running_; // by compile_key
};

// The utility programs needed to verify a problem, and its reference kernel. Parts that cannot be planned are left out.
struct ProblemPrograms {
  std::vector<CompileRequest> utilities, complete;
};
ProblemPrograms find_programs(const Kernel& kernel, const Problem& problem, const DeviceInfo& device);

} // namespace warptune
