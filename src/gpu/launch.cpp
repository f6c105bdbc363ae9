#include "gpu/launch.h"

#include "core/small_buffer.h"
#include "gpu/launch_attributes.h"
#include "gpu/library_calls.h"
#include "gpu/scalar.h"
#include "gpu/tensor_map.h"
#include "gpu/tensor_map_cache.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr std::size_t kUsualArgs = 512;      // arguments of a kernel that are gathered on the launching thread's stack
constexpr std::size_t kUsualArgBytes = 8192; // the same for the argument bytes of a sequence
constexpr std::size_t kMaxCallArgs = 32;     // arguments per library call; spec/library_table.h defines fewer

} // namespace

Result<LaunchSequence> LaunchSequence::make(const Driver& driver, const LaunchPlan& plan,
                                            std::span<const CUfunction> functions, std::span<const CUdeviceptr> buffers,
                                            std::span<const DeviceSymbol> symbols) {
  if (buffers.size() != plan.buffers.size() || functions.size() != plan.name_expressions.size())
    return fail(ErrorKind::internal, "a launch sequence needs one pointer per buffer and one function per kernel");
  static std::atomic<std::uint64_t> made{0};
  LaunchSequence sequence;
  sequence.id_ = ++made;
  sequence.driver_ = &driver;
  sequence.buffers_.assign(buffers.begin(), buffers.end());
  sequence.tensor_maps_ = plan.tensor_maps;
  sequence.scalar_count_ = plan.scalars.size();
  const std::size_t scalars_at = buffers.size() * sizeof(CUdeviceptr);
  const std::size_t maps_at = scalars_at + plan.scalars.size() * sizeof(std::uint64_t);
  const std::size_t absent_at = maps_at + plan.tensor_maps.size() * sizeof(CUtensorMap);
  const auto is_absent = [](const ArgRef& arg) { return arg.kind == ArgRef::Kind::absent; };
  const bool has_absent =
      std::any_of(plan.launches.begin(), plan.launches.end(),
                  [&](const KernelLaunch& l) { return std::any_of(l.args.begin(), l.args.end(), is_absent); }) ||
      std::any_of(plan.library_calls.begin(), plan.library_calls.end(), [&](const LibraryCallPlan& call) {
        return std::any_of(call.args.begin(), call.args.end(), [&](const auto& arg) { return is_absent(arg.second); });
      });
  // All absent arguments share one null, as large as the largest argument.
  sequence.args_.resize(absent_at + (has_absent ? sizeof(CUtensorMap) : 0));
  if (!buffers.empty()) std::memcpy(sequence.args_.data(), buffers.data(), scalars_at);
  for (std::size_t i = 0; i < plan.scalars.size(); ++i) {
    const std::uint64_t bits = scalar_bits(plan.scalars[i]);
    std::memcpy(sequence.args_.data() + scalars_at + i * sizeof bits, &bits, sizeof bits);
  }
  for (std::size_t i = 0; i < plan.tensor_maps.size(); ++i) {
    const TensorMapPlan& map = plan.tensor_maps[i];
    CUtensorMap encoded{};
    const CUresult status = encode_tensor_map(driver, map, buffers[static_cast<std::size_t>(map.buffer)], &encoded);
    if (status != CUDA_SUCCESS)
      return fail(
          ErrorKind::no_candidate,
          fmt::format("the tensor map {} cannot be encoded ({}); its strides must be multiples of 16 bytes, its box "
                      "at most 256 elements per dimension and no wider than its swizzle",
                      map.name, cuda_error_text(driver, status)));
    std::memcpy(sequence.args_.data() + maps_at + i * sizeof encoded, &encoded, sizeof encoded);
  }
  for (std::size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].zero && plan.buffers[i].bytes() > 0)
      sequence.clears_.push_back({static_cast<std::uint32_t>(i), static_cast<std::size_t>(plan.buffers[i].bytes())});
  WT_TRY(auto copies, symbol_copies(plan, symbols));
  sequence.symbols_ = std::move(copies);

  for (const KernelLaunch& launch : plan.launches) {
    const auto& names = plan.name_expressions;
    const auto at = std::find(names.begin(), names.end(), launch.name_expression);
    if (at == names.end()) return fail(ErrorKind::internal, fmt::format("{} was not compiled", launch.name_expression));
    Kernel kernel;
    kernel.function = functions[static_cast<std::size_t>(at - names.begin())];
    WT_CHECK(prepare_function(driver, plan, launch, kernel.function));
    kernel.grid = launch.grid;
    kernel.block = launch.block;
    kernel.shared_bytes = launch.shared_bytes;
    kernel.attributes = launch_attributes(launch);
    kernel.name = launch.name_expression;
    kernel.first_arg = static_cast<std::uint32_t>(sequence.arg_offsets_.size());
    kernel.arg_count = static_cast<std::uint32_t>(launch.args.size());
    sequence.most_args_ = std::max(sequence.most_args_, launch.args.size());
    for (const ArgRef& arg : launch.args) sequence.arg_offsets_.push_back(sequence.arg_offset(arg));
    sequence.launches_.push_back(std::move(kernel));
  }
  WT_CHECK(sequence.add_calls(plan));
  return sequence;
}

std::uint32_t LaunchSequence::arg_offset(const ArgRef& arg) const {
  const auto index = static_cast<std::size_t>(arg.index);
  const std::size_t scalars_at = buffers_.size() * sizeof(CUdeviceptr);
  const std::size_t maps_at = scalars_at + scalar_count_ * sizeof(std::uint64_t);
  std::size_t offset = maps_at + tensor_maps_.size() * sizeof(CUtensorMap); // the null for absent arguments
  if (arg.kind == ArgRef::Kind::buffer) offset = index * sizeof(CUdeviceptr);
  if (arg.kind == ArgRef::Kind::scalar) offset = scalars_at + index * sizeof(std::uint64_t);
  if (arg.kind == ArgRef::Kind::tensor_map) offset = maps_at + index * sizeof(CUtensorMap);
  return static_cast<std::uint32_t>(offset);
}

Result<void> LaunchSequence::add_calls(const LaunchPlan& plan) {
  for (const LibraryCallPlan& call : plan.library_calls) {
    WT_TRY(auto prepared, prepare_call(*driver_, call, plan));
    if (call.args.size() > kMaxCallArgs) return fail(ErrorKind::internal, call.name() + " has too many arguments");
    Call& added = calls_.emplace_back(Call{std::move(prepared), {}, call.position, call.name()});
    for (const auto& [name, arg] : call.args) added.arg_offsets.push_back(arg_offset(arg));
  }
  return {};
}

CUresult LaunchSequence::enqueue_args(CUstream stream, const std::byte* args,
                                      std::span<const CUdeviceptr> buffers) const noexcept {
  for (const Clear& clear : clears_) {
    const CUresult status = driver_->cuMemsetD8Async(buffers[clear.buffer], 0, clear.bytes, stream);
    if (status != CUDA_SUCCESS) return status;
  }
  for (const SymbolCopy& symbol : symbols_) {
    const CUresult status = fill_symbol(*driver_, symbol, buffers, stream);
    if (status != CUDA_SUCCESS) return status;
  }
  SmallBuffer<void*, kUsualArgs> pointers(most_args_);
  if (pointers.data() == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  for (const Kernel& kernel : launches_) {
    if (!calls_.empty()) {
      const CUresult called = enqueue_calls(stream, args, static_cast<std::size_t>(&kernel - launches_.data()));
      if (called != CUDA_SUCCESS) return called;
    }
    for (std::uint32_t i = 0; i < kernel.arg_count; ++i)
      pointers[i] = const_cast<std::byte*>(args + arg_offsets_[kernel.first_arg + i]);
    CUlaunchConfig config{};
    config.gridDimX = kernel.grid.x;
    config.gridDimY = kernel.grid.y;
    config.gridDimZ = kernel.grid.z;
    config.blockDimX = kernel.block.x;
    config.blockDimY = kernel.block.y;
    config.blockDimZ = kernel.block.z;
    config.sharedMemBytes = kernel.shared_bytes;
    config.hStream = stream;
    config.attrs = const_cast<CUlaunchAttribute*>(kernel.attributes.data());
    config.numAttrs = static_cast<unsigned>(kernel.attributes.size());
    const CUresult status = driver_->cuLaunchKernelEx(&config, kernel.function, pointers.data(), nullptr);
    if (status != CUDA_SUCCESS) return status;
  }
  return calls_.empty() ? CUDA_SUCCESS : enqueue_calls(stream, args, launches_.size());
}

// Enqueues the calls that follow this number of kernels.
CUresult LaunchSequence::enqueue_calls(CUstream stream, const std::byte* args, std::size_t position) const noexcept {
  for (const Call& call : calls_) {
    if (call.position != position) continue;
    std::array<std::uint64_t, kMaxCallArgs> values{};
    for (std::size_t i = 0; i < call.arg_offsets.size(); ++i)
      std::memcpy(&values[i], args + call.arg_offsets[i], sizeof values[i]);
    const CUresult status = call.prepared->enqueue(stream, std::span(values).first(call.arg_offsets.size()));
    if (status != CUDA_SUCCESS) return status;
  }
  return CUDA_SUCCESS;
}

CUresult LaunchSequence::enqueue(CUstream stream) const noexcept {
  return enqueue_args(stream, args_.data(), buffers_);
}

CUresult LaunchSequence::enqueue_with(CUstream stream, std::span<const CUdeviceptr> buffers,
                                      std::span<const std::uint64_t> scalars) const noexcept {
  if (buffers.size() != buffers_.size() || (!scalars.empty() && scalars.size() != scalar_count_))
    return CUDA_ERROR_INVALID_VALUE;
  // On the stack, so that concurrent launches need neither a lock nor memory from the heap.
  SmallBuffer<std::byte, kUsualArgBytes> scratch(args_.size());
  if (scratch.data() == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memcpy(scratch.data(), args_.data(), args_.size());
  // The pointers come first.
  const std::span<CUdeviceptr> pointers(reinterpret_cast<CUdeviceptr*>(scratch.data()), buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i] != 0) pointers[i] = buffers[i];
  const std::size_t scalars_at = pointers.size() * sizeof(CUdeviceptr);
  const std::size_t maps_at = scalars_at + scalar_count_ * sizeof(std::uint64_t);
  if (!scalars.empty()) std::memcpy(scratch.data() + scalars_at, scalars.data(), scalars.size_bytes());
  for (std::size_t i = 0; i < tensor_maps_.size(); ++i) {
    const auto buffer = static_cast<std::size_t>(tensor_maps_[i].buffer);
    if (pointers[buffer] == buffers_[buffer]) continue;
    CUtensorMap encoded{};
    const CUresult status = find_tensor_map(*driver_, id_, i, tensor_maps_[i], pointers[buffer], &encoded);
    if (status != CUDA_SUCCESS) return status;
    std::memcpy(scratch.data() + maps_at + i * sizeof encoded, &encoded, sizeof encoded);
  }
  return enqueue_args(stream, scratch.data(), pointers);
}

Result<void> LaunchSequence::launch(CUstream stream) const {
  const CUresult status = enqueue(stream);
  const std::string first = !launches_.empty() ? launches_.front().name : !calls_.empty() ? calls_.front().name : "";
  return check_cuda(*driver_, status, fmt::format("cannot launch {}", first.empty() ? "nothing" : first));
}

} // namespace warptune
