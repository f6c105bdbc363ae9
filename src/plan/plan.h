// LaunchPlan: a (spec, problem, config, device) as plain numbers. It has the buffers to allocate and the kernels to
// launch. make_plan checks the device's limits, so every plan can be compiled and launched.
#pragma once

#include "core/config.h"
#include "core/device.h"
#include "core/result.h"
#include "plan/buffer_rows.h"
#include "spec/problem.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

struct BufferPlan {
  std::string name;
  DType dtype;
  std::int64_t count = 0;
  Role role;
  Fill fill;
  bool zero = false;
  std::int64_t align = 16; // in bytes
  BufferRows rows = {};
  std::int64_t bytes() const { return count * dtype_bytes(dtype); }
};
struct ScalarPlan {
  std::string name;
  DType dtype;
  std::int64_t integer = 0;
  double number = 0;
  bool is_parameter = false;
};
struct TensorMapPlan {
  std::string name;
  int buffer = 0;
  DType dtype;
  bool im2col = false;
  std::vector<std::uint64_t> dims, strides;
  std::vector<std::uint32_t> box, element_strides;
  std::vector<int> lower, upper;
  std::uint32_t channels_per_pixel = 0, pixels_per_column = 0;
  int interleave_bytes = 0, swizzle_bytes = 0, l2_promotion_bytes = 0;
  bool fill_nan = false;
};

struct ArgRef {
  enum class Kind { buffer, scalar, tensor_map, absent } kind;
  int index;
}; // index into one of the plan's vectors; unused for `absent`, where the kernel receives null

struct KernelLaunch {
  std::string name_expression; // "softmax_kernel<__nv_bfloat16, 4, 1>"
  Dim3 grid, block, cluster;   // cluster 1,1,1: no cluster
  std::uint32_t shared_bytes = 0;
  bool cooperative = false, programmatic = false;
  std::vector<ArgRef> args;
};

// A call of a vendor's library. It has all values and arguments of the LibraryFunction, in the same order. A value that
// the spec does not give is LibraryValue::standard; an argument that the spec does not give is absent.
struct LibraryCallPlan {
  std::string library, call;
  std::vector<std::pair<std::string, std::int64_t>> values;
  std::vector<std::pair<std::string, ArgRef>> args; // buffers and scalars
  std::size_t position = 0;                         // number of LaunchPlan::launches that run before this call
  std::string name() const { return library + "." + call; }
};

// A variable of the cubin, filled before the launches.
struct SymbolPlan {
  std::string name;
  int buffer = -1; // index of the buffer to copy; negative: copy `scalar`
  ScalarPlan scalar;
};

struct LaunchPlan {
  std::vector<BufferPlan> buffers; // buffers that exist for the problem, in the order of Implementation::arguments
  std::vector<ScalarPlan> scalars;
  std::vector<TensorMapPlan> tensor_maps;
  std::vector<KernelLaunch> launches;         // launches whose `when` is true
  std::vector<LibraryCallPlan> library_calls; // calls whose `when` is true, in the order of their positions
  std::vector<std::string>
      name_expressions;            // name expressions of `launches`, each once; a cubin has its functions in this order
  std::vector<SymbolPlan> symbols; // a cubin has its symbols in this order, after the functions

  bool has_program() const { return !name_expressions.empty(); } // whether there is anything to compile or load
  // Bytes of all outputs: the same for every configuration of a problem, because workspaces do not count.
  std::int64_t output_bytes() const {
    std::int64_t bytes = 0;
    for (const BufferPlan& buffer : buffers)
      if (buffer.role == Role::output || buffer.role == Role::inout) bytes += buffer.bytes();
    return bytes;
  }
};

// Error: no_candidate if the device cannot run the configuration (grid too large, shared memory, threads), otherwise
// bad_input.
Result<LaunchPlan> make_plan(const KernelSpec& spec, const Problem& problem, const Config& config,
                             const DeviceInfo& device);

// Makes the reference's plan: the kernel's buffers except workspaces, then the reference's own buffers. Outputs have
// the reference's dtype.
Result<LaunchPlan> make_reference_plan(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

// Makes the plan of spec.prepare, which computes the inputs with fill `prepared`. The plan has the operator's buffers
// that its launches use, then the buffers of `prepare`. A plan without launches means that this problem needs no
// preparation. Precondition: spec.prepare is set.
Result<LaunchPlan> make_prepare_plan(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

struct CostEstimate {
  double bytes_read = 0, bytes_written = 0;
  // Operations by pipe, as in the spec. The name of tensor operations is "tensor" for 16-bit problems; for others it
  // includes the dtype: "tensor fp8_e4m3", "tensor tf32".
  std::vector<std::pair<std::string, double>> flops;
};
Result<CostEstimate> estimate_cost(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

} // namespace warptune
