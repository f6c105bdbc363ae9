// LaunchPlan: everything about (spec, problem, config, device) as plain numbers: which buffers to allocate, what to
// launch. Checked against the device's limits, so a plan that exists can be compiled and launched.
#pragma once

#include "core/config.h"
#include "core/device.h"
#include "core/result.h"
#include "plan/buffer_rows.h"
#include "spec/problem.h"

#include <array>
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
  std::int64_t align = 16; // bytes that its address is a multiple of
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
}; // index into the plan's vector; absent: none, the kernel gets a null

struct KernelLaunch {
  std::string name_expression; // "softmax_kernel<__nv_bfloat16, 4, 1>"
  Dim3 grid, block, cluster;   // cluster 1,1,1: none
  std::uint32_t shared_bytes = 0;
  bool cooperative = false, programmatic = false;
  std::vector<ArgRef> args;
};

// A call into a vendor's library. Values and arguments in the order of its LibraryFunction, all of them: values that
// the spec does not give have their standard, arguments that it does not give are absent.
struct LibraryCallPlan {
  std::string library, call;
  std::vector<std::pair<std::string, std::int64_t>> values;
  std::vector<std::pair<std::string, ArgRef>> args; // buffers and scalars
  std::size_t position = 0;                         // it comes behind so many of LaunchPlan::launches
  std::string name() const { return library + "." + call; }
};

// A variable of the program that is filled before the launches.
struct SymbolPlan {
  std::string name;
  int buffer = -1; // that it is copied from; negative: it holds the scalar
  ScalarPlan scalar;
};

struct LaunchPlan {
  std::vector<BufferPlan> buffers; // in the order of Implementation::arguments; those that exist for the problem
  std::vector<ScalarPlan> scalars;
  std::vector<TensorMapPlan> tensor_maps;
  std::vector<KernelLaunch> launches;         // those whose `when` holds
  std::vector<LibraryCallPlan> library_calls; // the same; by position
  std::vector<std::string> name_expressions;  // of the launches, each once: the order of a program's functions
  std::vector<SymbolPlan> symbols;            // of a program they follow the functions

  bool has_program() const { return !name_expressions.empty(); } // else there is nothing to compile or to load
};

// Errors are of kind no_candidate for a config that cannot run here (grid too large, shared memory, threads), bad_input
// else.
Result<LaunchPlan> make_plan(const KernelSpec& spec, const Problem& problem, const Config& config,
                             const DeviceInfo& device);

// The oracle's plan: the same buffers without workspaces of the kernel, outputs with the reference's dtype, then its
// own.
Result<LaunchPlan> make_reference_plan(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

// Precondition: spec.prepare. What makes the inputs whose fill is `prepared`: the buffers that its launches use, then
// its own. No launches: nothing has to be made for this problem.
Result<LaunchPlan> make_prepare_plan(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

struct CostEstimate {
  double bytes_read = 0, bytes_written = 0;
  // By pipe as in the spec; "tensor" for 16-bit problems, else with the dtype: "tensor fp8_e4m3", "tensor tf32".
  std::vector<std::pair<std::string, double>> flops;
};
Result<CostEstimate> estimate_cost(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

} // namespace warptune
