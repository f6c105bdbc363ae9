// Loads a compiled program into the current context, and finds its kernels and variables.
#pragma once

#include "core/result.h"
#include "gpu/handles.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// A __constant__ or __device__ variable of a loaded program.
struct DeviceSymbol {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
};

// The kernels of one compiled program, in the current context.
struct LoadedKernels {
  Module module;
  std::vector<CUfunction> functions; // one per plan.name_expressions
  std::vector<DeviceSymbol> symbols; // one per plan.symbols
  std::vector<std::string> names;    // names given to load_kernels
};

// `lowered_names`: one per entry of plan.name_expressions, then one per symbol; `symbols` is the number of symbols. The
// names are from NVRTC, or are texts in the form of plan/program_symbol.h.
Result<LoadedKernels> load_kernels(const Driver& driver, std::string_view cubin,
                                   const std::vector<std::string>& lowered_names, std::size_t symbols = 0);

} // namespace warptune
