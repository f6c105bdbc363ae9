// Reads the output of ptxas -v in NVRTC's log: registers, spills and static shared memory per kernel, without a device.
// Works on text only.
#pragma once

#include "core/trial.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct PtxasKernel {
  std::string lowered_name;
  KernelResources resources;
};

// The kernels are in the order of the log. Kernels that the log does not mention are missing (NVRTC prints nothing for
// a cache hit).
std::vector<PtxasKernel> parse_ptxas_log(std::string_view log);

// Returns the log without the lines that parse_ptxas_log understands, so that errors and warnings remain.
std::string strip_ptxas_info(std::string_view log);

// Whether ptxas refused the program because a kernel has more static shared memory than the architecture allows.
bool exceeds_shared_memory(std::string_view log);

} // namespace warptune
