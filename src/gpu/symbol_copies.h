// Fills __constant__ and __device__ variables of a program before its launches.
#pragma once

#include "core/result.h"
#include "gpu/loaded_kernels.h"
#include "plan/plan.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warptune {

struct SymbolCopy {
  CUdeviceptr to;
  int buffer; // index of the buffer to copy; negative: copy `bits`
  std::size_t bytes;
  std::uint64_t bits;
};

// `symbols`: one per plan.symbols. Error (no_candidate): a variable is too small for what is copied into it.
Result<std::vector<SymbolCopy>> symbol_copies(const LaunchPlan& plan, std::span<const DeviceSymbol> symbols);

// Enqueues one copy; `buffers`: one per plan.buffers.
CUresult fill_symbol(const Driver& driver, const SymbolCopy& copy, std::span<const CUdeviceptr> buffers,
                     CUstream stream) noexcept;

} // namespace warptune
