// Combines a LaunchPlan, compiled functions and buffers into a sequence of kernels and library calls that can be
// launched repeatedly without allocation. The tuner's CUDA backend and the runtime library use it. Independent of
// searching, verifying and timing.
#pragma once

#include "core/result.h"
#include "gpu/loaded_kernels.h"
#include "gpu/symbol_copies.h"
#include "gpu/vendor_library.h"
#include "plan/plan.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace warptune {

class LaunchSequence {
 public:
  // `buffers`: one device pointer per entry of plan.buffers. `symbols`: one per entry of plan.symbols. Enables large
  // shared memory and clusters, encodes tensor maps, opens libraries and prepares their calls. The module that contains
  // `functions` must outlive the sequence. Error (no_candidate): this device cannot run the plan.
  static Result<LaunchSequence> make(const Driver& driver, const LaunchPlan& plan,
                                     std::span<const CUfunction> functions, std::span<const CUdeviceptr> buffers,
                                     std::span<const DeviceSymbol> symbols = {});

  // Enqueues, in this order: clearing of `zero` workspaces, copies into symbols, then kernels and library calls.
  // Allocates only for unusually many arguments (kUsualArgs in launch.cpp) and never synchronises. Several threads may
  // call it. A loaded program has one copy of each symbol, so a sequence with symbols may be used on only one stream at
  // a time.
  CUresult enqueue(CUstream stream) const noexcept;

  // Enqueues with other buffers and scalars. `buffers`: a null pointer means the buffer given to `make`. `scalars`: one
  // per plan.scalars, as bits from scalar_bits; empty: those given to `make`. Tensor maps are encoded for the new
  // addresses; each thread caches its most recent maps. Neither allocates nor locks.
  CUresult enqueue_with(CUstream stream, std::span<const CUdeviceptr> buffers,
                        std::span<const std::uint64_t> scalars) const noexcept;

  // Like enqueue, but with an error message that names the kernel that failed and the CUDA error.
  Result<void> launch(CUstream stream) const;

  std::size_t launch_count() const { return launches_.size() + calls_.size(); }
  const Driver& driver() const { return *driver_; }

 private:
  struct Kernel {
    CUfunction function = nullptr;
    Dim3 grid, block;
    std::uint32_t shared_bytes = 0;
    std::uint32_t first_arg = 0, arg_count = 0; // range of arg_offsets_
    std::vector<CUlaunchAttribute> attributes;
    std::string name;
  };
  struct Call {
    std::unique_ptr<const PreparedCall> prepared;
    std::vector<std::uint32_t> arg_offsets; // offsets into args_
    std::size_t position = 0;               // number of launches_ that run before this call
    std::string name;
  };
  struct Clear {
    std::uint32_t buffer;
    std::size_t bytes;
  };

  std::uint32_t arg_offset(const ArgRef& arg) const; // precondition: tensor_maps_, buffers_ and scalar_count_ are set
  Result<void> add_calls(const LaunchPlan& plan);
  CUresult enqueue_calls(CUstream stream, const std::byte* args, std::size_t position) const noexcept;
  CUresult enqueue_args(CUstream stream, const std::byte* args, std::span<const CUdeviceptr> buffers) const noexcept;

  const Driver* driver_ = nullptr;
  // All argument bytes: the pointers of all buffers, all scalars (8 bytes each), all tensor maps, and zeros for
  // arguments that do not exist.
  std::vector<std::byte> args_;
  std::vector<std::uint32_t> arg_offsets_;
  std::vector<Kernel> launches_;
  std::vector<Call> calls_; // sorted by position
  std::vector<Clear> clears_;
  std::vector<SymbolCopy> symbols_;
  std::vector<TensorMapPlan> tensor_maps_;
  std::vector<CUdeviceptr> buffers_;
  std::size_t scalar_count_ = 0, most_args_ = 0; // most_args_: the largest number of arguments of one kernel
  std::uint64_t id_ = 0;                         // unique among all sequences of this process
};

} // namespace warptune
