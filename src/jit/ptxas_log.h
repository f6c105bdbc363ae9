// Reads the output of ptxas -v in NVRTC's log: each kernel's registers, spills and static shared memory. Needs no
// device, only the text.
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

// The kernels are in the order of the log. Kernels may be missing, because NVRTC prints nothing for a program that it
// finds in its own cache.
std::vector<PtxasKernel> parse_ptxas_log(std::string_view log);

// Removes the lines that parse_ptxas_log reads, but keeps the lines of kernels that spill. Errors and warnings remain.
std::string strip_ptxas_info(std::string_view log);

// Bytes that each thread stores to and loads from local memory because there are not enough registers: the sum over all
// instructions of the kernel.
struct SpillBytes {
  int stores = 0, loads = 0;
};
// `log`: before or after strip_ptxas_info. Returns nullopt if the log does not mention spills of this kernel.
std::optional<SpillBytes> find_spills(std::string_view log, std::string_view lowered_name);

// A warning of the compiler or of ptxas, or a performance remark of ptxas (such as C7510).
struct CompilerWarning {
  std::string file; // such as "kernel.cu"; empty: the warning names no source line
  int line = 0;
  std::string text; // without file and line
};
std::vector<CompilerWarning> find_warnings(std::string_view log);

// Whether ptxas refused the program because a kernel has more static shared memory than the architecture allows.
bool exceeds_shared_memory(std::string_view log);

} // namespace warptune
