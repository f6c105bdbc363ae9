// Reads the output of ptxas -v in NVRTC's log: registers, spills and static shared memory per kernel, without a device.
// Works on text only.
#pragma once

#include "core/trial.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct PtxasKernel {
  std::string lowered_name;
  KernelResources resources;
};

// The kernels are in the order of the log. Kernels that the log does not mention are missing, because NVRTC prints
// nothing for a cache hit.
std::vector<PtxasKernel> parse_ptxas_log(std::string_view log);

// Returns the log without the lines that parse_ptxas_log understands, so that errors and warnings remain, and the
// spills of kernels that have any.
std::string strip_ptxas_info(std::string_view log);

// Bytes that each thread moves to and from local memory because registers do not suffice, summed over the instructions
// of the kernel.
struct SpillBytes {
  int stores = 0, loads = 0;
};
// `log`: before or after strip_ptxas_info. Returns nullopt if it does not mention spills of this kernel.
std::optional<SpillBytes> find_spills(std::string_view log, std::string_view lowered_name);

// A warning of the compiler or of ptxas, or a remark of ptxas about performance (C7510 and others).
struct CompilerWarning {
  std::string file; // a source file, such as "kernel.cu"; empty: it names no line
  int line = 0;
  std::string text; // without the place
};
std::vector<CompilerWarning> find_warnings(std::string_view log);

// Whether ptxas refused the program because a kernel has more static shared memory than the architecture allows.
bool exceeds_shared_memory(std::string_view log);

} // namespace warptune
