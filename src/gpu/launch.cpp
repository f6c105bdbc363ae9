#include "gpu/launch.h"

#include "core/small_buffer.h"
#include "gpu/library_calls.h"
#include "gpu/scalar.h"
#include "gpu/tensor_map.h"
#include "plan/program_symbol.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr std::size_t kUsualArgs = 512;      // of a kernel: gathered on the launching thread's stack
constexpr std::size_t kUsualArgBytes = 8192; // of a sequence: the same
constexpr std::size_t kMaxCallArgs = 32;     // of a library call; spec/library_table.h lists fewer
constexpr std::uint32_t kPortableCluster = 8;
constexpr std::uint32_t kSharedWithoutOptIn = 48 * 1024;

std::size_t cluster_size(const KernelLaunch& launch) {
  return std::size_t{launch.cluster.x} * launch.cluster.y * launch.cluster.z;
}

std::vector<CUlaunchAttribute> launch_attributes(const KernelLaunch& launch) {
  std::vector<CUlaunchAttribute> attributes;
  if (cluster_size(launch) > 1) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = launch.cluster.x;
    attribute.value.clusterDim.y = launch.cluster.y;
    attribute.value.clusterDim.z = launch.cluster.z;
    attributes.push_back(attribute);
  }
  if (launch.cooperative) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    attributes.push_back(attribute);
  }
  if (launch.programmatic) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    attributes.push_back(attribute);
  }
  return attributes;
}

// What a function refuses: this device cannot run it so, or nothing any more.
ErrorKind refusal_kind(CUresult status) {
  return is_fatal_cuda_error(status) ? ErrorKind::no_device : ErrorKind::no_candidate;
}

// A function that several launches share gets the largest of their wishes.
Result<void> prepare_function(const Driver& driver, const LaunchPlan& plan, const KernelLaunch& launch,
                              CUfunction function) {
  std::uint32_t shared = 0;
  for (const KernelLaunch& other : plan.launches)
    if (other.name_expression == launch.name_expression) shared = std::max(shared, other.shared_bytes);
  if (shared > 0) {
    // Static shared memory counts towards the 48 KiB, so the opt-in is asked for well before.
    int fixed = 0;
    driver.cuFuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    // Other sequences may hold the same function with a larger wish, so the limit is only ever raised.
    int granted = 0;
    driver.cuFuncGetAttribute(&granted, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
    if (shared + static_cast<std::uint32_t>(fixed) > kSharedWithoutOptIn &&
        static_cast<std::uint32_t>(granted) < shared) {
      const CUresult status = driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                        static_cast<int>(shared));
      if (status != CUDA_SUCCESS)
        return fail(
            refusal_kind(status),
            fmt::format("{}: {} bytes of dynamic and {} of static shared memory are more than this device gives a "
                        "block ({})",
                        launch.name_expression, shared, fixed, cuda_error_text(driver, status)));
    }
  }
  if (cluster_size(launch) > kPortableCluster) {
    const CUresult status = driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (status != CUDA_SUCCESS)
      return fail(refusal_kind(status),
                  fmt::format("{}: a cluster of {} blocks is not possible on this device ({})", launch.name_expression,
                              cluster_size(launch), cuda_error_text(driver, status)));
  }
  return {};
}

} // namespace

Result<LoadedKernels> load_kernels(const Driver& driver, std::string_view cubin,
                                   const std::vector<std::string>& lowered_names, std::size_t symbols) {
  WT_TRY(auto module, load_module(driver, cubin));
  LoadedKernels loaded{std::move(module), {}, {}, lowered_names};
  const std::size_t kernels = lowered_names.size() - std::min(symbols, lowered_names.size());
  for (const std::string& name : lowered_names) {
    if (loaded.functions.size() == kernels) {
      DeviceSymbol symbol;
      const CUresult status =
          driver.cuModuleGetGlobal(&symbol.address, &symbol.bytes, loaded.module.get(), name.c_str());
      WT_CHECK(check_load(driver, status, fmt::format("cannot find the symbol {} in its module", name)));
      loaded.symbols.push_back(symbol);
      continue;
    }
    CUfunction function = nullptr;
    const std::string kernel = parse_symbol(name).name;
    const CUresult status = driver.cuModuleGetFunction(&function, loaded.module.get(), kernel.c_str());
    WT_CHECK(check_load(driver, status, fmt::format("cannot find the kernel {} in its module", kernel)));
    loaded.functions.push_back(function);
  }
  return loaded;
}

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
  // A null of the size of the largest argument serves all of them.
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
                      "at most 256 elements a dimension and no wider than its swizzle",
                      map.name, cuda_error_text(driver, status)));
    std::memcpy(sequence.args_.data() + maps_at + i * sizeof encoded, &encoded, sizeof encoded);
  }
  for (std::size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].zero && plan.buffers[i].bytes() > 0)
      sequence.clears_.push_back({static_cast<std::uint32_t>(i), static_cast<std::size_t>(plan.buffers[i].bytes())});
  WT_CHECK(sequence.add_symbols(plan, symbols));

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
  std::size_t offset = maps_at + tensor_maps_.size() * sizeof(CUtensorMap); // the null of absent arguments
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

Result<void> LaunchSequence::add_symbols(const LaunchPlan& plan, std::span<const DeviceSymbol> symbols) {
  if (symbols.size() != plan.symbols.size())
    return fail(ErrorKind::internal, "a launch sequence needs one address per symbol");
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const SymbolPlan& symbol = plan.symbols[i];
    SymbolCopy copy{symbols[i].address, symbol.buffer, 0, 0};
    if (symbol.buffer >= 0) {
      copy.bytes = static_cast<std::size_t>(plan.buffers[static_cast<std::size_t>(symbol.buffer)].bytes());
    } else {
      copy.bytes = static_cast<std::size_t>(dtype_bytes(symbol.scalar.dtype));
      copy.bits = scalar_bits(symbol.scalar);
    }
    if (copy.bytes > symbols[i].bytes)
      return fail(ErrorKind::no_candidate,
                  fmt::format("the symbol {} has {} bytes, and {} has {}; enlarge it in the source", symbol.name,
                              symbols[i].bytes,
                              symbol.buffer >= 0
                                  ? "the buffer " + plan.buffers[static_cast<std::size_t>(symbol.buffer)].name
                                  : "its scalar",
                              copy.bytes));
    if (copy.bytes > 0) symbols_.push_back(copy);
  }
  return {};
}

// A scalar is set by words: a copy from the host would have to wait for its source, and a graph would keep its address.
CUresult LaunchSequence::fill_symbol(const SymbolCopy& copy, std::span<const CUdeviceptr> buffers,
                                     CUstream stream) const noexcept {
  if (copy.buffer >= 0)
    return driver_->cuMemcpyDtoDAsync(copy.to, buffers[static_cast<std::size_t>(copy.buffer)], copy.bytes, stream);
  CUresult status = CUDA_SUCCESS;
  const bool by_words = copy.bytes % 4 == 0;
  for (std::size_t at = 0; at < copy.bytes && status == CUDA_SUCCESS; at += by_words ? 4 : 1) {
    const std::uint64_t bits = copy.bits >> (8 * at);
    status = by_words ? driver_->cuMemsetD32Async(copy.to + at, static_cast<unsigned>(bits), 1, stream)
                      : driver_->cuMemsetD8Async(copy.to + at, static_cast<unsigned char>(bits), 1, stream);
  }
  return status;
}

// Encoding takes longer than the rest of a launch, and applications launch with the same buffers again and again. Two
// ways a set: two maps that fall into one set, such as a GEMM's operands, do not drive each other out.
CUresult LaunchSequence::find_tensor_map(std::size_t index, CUdeviceptr base, CUtensorMap* map) const noexcept {
  struct Entry {
    std::uint64_t sequence, index, base; // sequences count from 1: an empty entry matches none
    CUtensorMap map;
    bool matches(std::uint64_t s, std::uint64_t i, std::uint64_t b) const {
      return sequence == s && index == i && base == b;
    }
  };
  constexpr std::size_t kSets = 64; // of two: 20 KiB a thread, as far as they are used
  struct Set {
    std::array<Entry, 2> ways;
    std::size_t newest;
  };
  thread_local std::array<Set, kSets> cache{};
  const std::uint64_t hash = ((id_ * 0x9E3779B97F4A7C15U ^ index) * 0x9E3779B97F4A7C15U ^ base) * 0xFF51AFD7ED558CCDU;
  Set& set = cache[(hash >> 32) % kSets];
  for (const Entry& entry : set.ways)
    if (entry.matches(id_, index, base)) {
      set.newest = static_cast<std::size_t>(&entry - set.ways.data());
      *map = entry.map;
      return CUDA_SUCCESS;
    }
  Entry& entry = set.ways[set.newest ^ 1];
  entry.sequence = 0; // until it is whole
  const CUresult status = encode_tensor_map(*driver_, tensor_maps_[index], base, &entry.map);
  if (status != CUDA_SUCCESS) return status;
  entry.sequence = id_;
  entry.index = index;
  entry.base = base;
  set.newest ^= 1;
  *map = entry.map;
  return CUDA_SUCCESS;
}

CUresult LaunchSequence::enqueue_args(CUstream stream, const std::byte* args,
                                      std::span<const CUdeviceptr> buffers) const noexcept {
  for (const Clear& clear : clears_) {
    const CUresult status = driver_->cuMemsetD8Async(buffers[clear.buffer], 0, clear.bytes, stream);
    if (status != CUDA_SUCCESS) return status;
  }
  for (const SymbolCopy& symbol : symbols_) {
    const CUresult status = fill_symbol(symbol, buffers, stream);
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

// The calls that follow this number of kernels.
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
  // On the stack, so that concurrent launches need neither a lock nor memory of their own.
  SmallBuffer<std::byte, kUsualArgBytes> scratch(args_.size());
  if (scratch.data() == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memcpy(scratch.data(), args_.data(), args_.size());
  // The pointers stand first.
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
    const CUresult status = find_tensor_map(i, pointers[buffer], &encoded);
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

Result<Occupancy> find_occupancy(const Driver& driver, CUdevice device, CUfunction function, int threads,
                                 std::size_t shared_bytes) {
  Occupancy found;
  const CUresult status =
      driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&found.blocks_per_sm, function, threads, shared_bytes);
  WT_CHECK(check_cuda(driver, status, "cannot compute the occupancy"));
  int threads_per_sm = 0, warp = 32;
  driver.cuDeviceGetAttribute(&threads_per_sm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device);
  driver.cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
  const int warps = (threads + warp - 1) / warp;
  if (threads_per_sm > 0) found.share = static_cast<double>(found.blocks_per_sm) * warps * warp / threads_per_sm;
  return found;
}

} // namespace warptune
