// The kernels and variables of a compiled program, loaded into the current context.
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

// The kernels of one compiled program, loaded into the current context.
struct LoadedKernels {
  Module module;
  std::vector<CUfunction> functions; // one per plan.name_expressions
  std::vector<DeviceSymbol> symbols; // one per plan.symbols
  std::vector<std::string> names;    // the names that were given to load_kernels
};

// `lowered_names`: names from NVRTC, or in the form of plan/program_symbol.h: one per plan.name_expressions, then
// `symbols` names of symbols.
Result<LoadedKernels> load_kernels(const Driver& driver, std::string_view cubin,
                                   const std::vector<std::string>& lowered_names, std::size_t symbols = 0);

} // namespace warptune
