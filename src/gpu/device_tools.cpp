#include "gpu/device_tools.h"

#include "embedded/gpu_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <type_traits>

namespace warptune {
namespace {

constexpr unsigned kThreads = 256; // the same value as in compare.cu
constexpr unsigned kMaxBlocks = 1056;

// Must match Partial in compare.cu: the result of one block of a comparison, and of merging them.
static_assert(sizeof(Comparison) == 64 && std::is_trivially_copyable_v<Comparison>);
constexpr std::size_t kPartialBytes = sizeof(Comparison) * kMaxBlocks;
constexpr std::size_t kImageBytes = 1 << 16; // zones and results of one check
constexpr std::size_t kScratchBytes = kPartialBytes + kImageBytes;
static_assert(sizeof(GuardZone) == 40);  // the same size as Zone in memory.cu
static_assert(sizeof(BufferRows) == 16); // the same size as Rows in convert.cuh

LaunchShape shape_for(std::int64_t count) {
  const std::int64_t wanted = std::max<std::int64_t>(1, (count + kThreads - 1) / kThreads);
  return {{static_cast<std::uint32_t>(std::min<std::int64_t>(wanted, kMaxBlocks)), 1, 1}, kThreads};
}

std::string macro(const char* name, DType dtype) { return fmt::format("-D{}={}", name, dtype_cpp_name(dtype)); }

std::vector<std::string> compare_options(DType out, DType ref) {
  return {macro("WT_OUT", out), macro("WT_REF", ref),
          fmt::format("-DWT_OUT_IS_INTEGER={}", dtype_is_floating(out) ? 0 : 1)};
}

CompileRequest program_of(const char* file, std::vector<std::string> options) {
  CompileRequest request;
  request.source_name = file;
  request.source = embedded::gpu_kernels::find(file).value_or("");
  request.headers.emplace_back("convert.cuh", embedded::gpu_kernels::find("convert.cuh").value_or(""));
  request.options = std::move(options);
  return request;
}

LaunchShape shape_for_zones(std::span<const GuardZone> zones) {
  std::uint64_t largest = 0;
  for (const GuardZone& zone : zones) largest = std::max(largest, zone.bytes * zone.rows);
  const bool are_small = largest <= std::uint64_t{1} << 20;
  return {{are_small ? 16U : 128U, static_cast<std::uint32_t>(zones.size()), 1}, kThreads};
}

std::size_t compared_bytes(std::size_t outputs) { return outputs * sizeof(Comparison); }

} // namespace

GuardZone zone_of_gaps(CUdeviceptr data, DType dtype, std::int64_t count, const BufferRows& rows,
                       unsigned char pattern) {
  const auto size = static_cast<std::uint64_t>(dtype_bytes(dtype));
  const auto bytes = [&](std::int64_t elements) { return static_cast<std::uint64_t>(elements) * size; };
  return {data + bytes(rows.length), bytes(rows.stride - rows.length), pattern,
          static_cast<std::uint64_t>(rows.gaps(count)), bytes(rows.stride)};
}

Result<DeviceTools> DeviceTools::make(const Driver& driver, CubinProvider provider) {
  DeviceTools tools;
  tools.driver_ = &driver;
  tools.provider_ = std::move(provider);
  WT_TRY(auto scratch, DeviceMemory::allocate(driver, kScratchBytes, "the verifier's scratch memory"));
  tools.scratch_ = std::move(scratch);
  return tools;
}

CompileRequest DeviceTools::fill_program(DType dtype) { return program_of("fill.cu", {macro("WT_T", dtype)}); }

CompileRequest DeviceTools::compare_program(DType out, DType ref) {
  return program_of("compare.cu", compare_options(out, ref));
}

CompileRequest DeviceTools::memory_program() { return program_of("memory.cu", {}); }

Result<CUfunction> DeviceTools::find(const char* file, const char* kernel, std::vector<std::string> options) {
  std::string key = file;
  for (const std::string& option : options) key += option;
  auto found = programs_.find(key);
  if (found == programs_.end()) {
    WT_TRY(auto program, DeviceProgram::load(*driver_, provider_, program_of(file, std::move(options))));
    found = programs_.emplace(std::move(key), std::move(program)).first;
  }
  return found->second.function(kernel);
}

Result<void> DeviceTools::read_back(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  CUresult status = driver_->cuMemcpyDtoHAsync(to, from, bytes, stream);
  if (status == CUDA_SUCCESS) status = driver_->cuStreamSynchronize(stream);
  return check_cuda(*driver_, status, "cannot read a result back from the device");
}

Result<void> DeviceTools::fill(CUdeviceptr data, DType dtype, std::int64_t count, const Fill& fill, std::uint64_t seed,
                               CUstream stream) {
  if (count == 0) return {};
  const char* kernel = fill.kind == Fill::Kind::uniform    ? "fill_uniform"
                       : fill.kind == Fill::Kind::normal   ? "fill_normal"
                       : fill.kind == Fill::Kind::integers ? "fill_integers"
                                                           : "fill_constant";
  WT_TRY(auto function, find("fill.cu", kernel, {macro("WT_T", dtype)}));
  const LaunchShape shape = shape_for(count);
  CUresult status = CUDA_SUCCESS;
  if (fill.kind == Fill::Kind::constant)
    status = launch_kernel(*driver_, function, shape, stream, data, count, fill.a);
  else if (fill.kind == Fill::Kind::integers)
    status = launch_kernel(*driver_, function, shape, stream, data, count, seed, static_cast<std::int64_t>(fill.a),
                           static_cast<std::int64_t>(fill.b));
  else
    status = launch_kernel(*driver_, function, shape, stream, data, count, seed, fill.a, fill.b);
  return check_cuda(*driver_, status, "cannot fill an input");
}

Result<void> DeviceTools::dirty_shared(const DeviceLimits& limits, CUstream stream) {
  WT_TRY(auto function, find("dirty.cu", "dirty_shared", {}));
  const auto bytes = static_cast<unsigned>(limits.max_shared_per_block);
  CUresult status =
      driver_->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes));
  // One block fills a multiprocessor. With twice as many blocks, some of the second half reach multiprocessors that
  // were busy.
  const LaunchShape shape{{static_cast<std::uint32_t>(2 * limits.sm_count), 1, 1}, kThreads, bytes};
  if (status == CUDA_SUCCESS) status = launch_kernel(*driver_, function, shape, stream, bytes / 4U, scratch_.get());
  return check_cuda(*driver_, status, "cannot fill shared memory");
}

Result<void> DeviceTools::write_zone(const GuardZone& zone, CUstream stream) {
  if (zone.rows == 0 || zone.bytes == 0) return {};
  const auto byte = static_cast<unsigned char>(zone.pattern);
  const CUresult status = zone.rows == 1
                              ? driver_->cuMemsetD8Async(zone.begin, byte, zone.bytes, stream)
                              : driver_->cuMemsetD2D8Async(zone.begin, zone.pitch, byte, zone.bytes, zone.rows, stream);
  return check_cuda(*driver_, status, "cannot write a guard zone");
}

Result<void> DeviceTools::poison(CUdeviceptr out, DType dtype, CUdeviceptr ref, DType ref_dtype, std::int64_t count,
                                 CUstream stream) {
  if (count == 0) return {};
  if (dtype_is_floating(dtype)) {
    const auto bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(dtype_bytes(dtype));
    return check_cuda(*driver_, driver_->cuMemsetD8Async(out, 0xFF, bytes, stream),
                      "cannot fill an output with marker values");
  }
  WT_TRY(auto function, find("compare.cu", "poison_integers", compare_options(dtype, ref_dtype)));
  return check_cuda(*driver_, launch_kernel(*driver_, function, shape_for(count), stream, out, ref, count),
                    "cannot fill an output with marker values");
}

CUresult DeviceTools::enqueue_compare(const OutputCheck& check, CUfunction compare, CUfunction merge,
                                      CUdeviceptr result, CUstream stream) {
  const std::int64_t elements = check.rows.elements(check.count);
  const LaunchShape shape = shape_for(elements);
  const CUresult status = launch_kernel(*driver_, compare, shape, stream, check.out, check.ref, elements, check.rows,
                                        check.rtol, check.atol, scratch_.get());
  if (status != CUDA_SUCCESS) return status;
  return launch_kernel(*driver_, merge, LaunchShape{{1, 1, 1}, kThreads}, stream, scratch_.get(),
                       std::int64_t{shape.grid.x}, result);
}

// Layout on the device: partial results of a comparison, then zones, then results. One copy initialises zones and
// results; another fetches the results.
Result<CheckResults> DeviceTools::check(std::span<const OutputCheck> outputs, std::span<const GuardZone> zones,
                                        std::span<const MemoryRange> sums, CUstream stream) {
  const std::size_t zone_bytes = zones.size_bytes(), words = zones.size() + sums.size();
  const std::size_t result_bytes = outputs.size() * sizeof(Comparison) + words * sizeof(std::uint64_t);
  if (zone_bytes + result_bytes > kImageBytes)
    return fail(ErrorKind::internal, "too many buffers for the check of a launch");
  if (result_bytes == 0) return CheckResults{};
  const CUdeviceptr image = scratch_.get() + kPartialBytes;
  const CUdeviceptr compared = image + zone_bytes, found = compared + outputs.size() * sizeof(Comparison);
  CheckResults results;
  results.outputs.resize(outputs.size()); // the results of empty outputs stay as they are
  std::vector<std::uint64_t> numbers(words, 0);
  std::fill_n(numbers.begin(), zones.size(), ~std::uint64_t{0});
  std::vector<std::byte> host(zone_bytes + result_bytes);
  if (!zones.empty()) std::memcpy(host.data(), zones.data(), zone_bytes);
  if (!outputs.empty()) std::memcpy(host.data() + zone_bytes, results.outputs.data(), compared_bytes(outputs.size()));
  if (words > 0)
    std::memcpy(host.data() + zone_bytes + compared_bytes(outputs.size()), numbers.data(), words * sizeof numbers[0]);

  CUresult status = driver_->cuMemcpyHtoDAsync(image, host.data(), host.size(), stream);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputCheck& output = outputs[i];
    if (output.count == 0) continue;
    const std::vector<std::string> options = compare_options(output.dtype, output.ref_dtype);
    WT_TRY(auto compare, find("compare.cu", "compare", options));
    WT_TRY(auto merge, find("compare.cu", "merge_partials", options));
    if (status == CUDA_SUCCESS)
      status = enqueue_compare(output, compare, merge, compared + i * sizeof(Comparison), stream);
  }
  if (!zones.empty()) {
    WT_TRY(auto function, find("memory.cu", "check_zones", {}));
    if (status == CUDA_SUCCESS)
      status = launch_kernel(*driver_, function, shape_for_zones(zones), stream, image, found);
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].bytes == 0) continue;
    WT_TRY(auto function, find("memory.cu", "checksum", {}));
    if (status == CUDA_SUCCESS)
      status = launch_kernel(*driver_, function, shape_for(sums[i].bytes / 8), stream, sums[i].data, sums[i].bytes,
                             found + (zones.size() + i) * sizeof(std::uint64_t));
  }
  WT_CHECK(check_cuda(*driver_, status, "cannot check the buffers after a launch"));
  WT_CHECK(read_back(host.data(), compared, result_bytes, stream));
  if (!outputs.empty()) std::memcpy(results.outputs.data(), host.data(), compared_bytes(outputs.size()));
  if (words > 0) std::memcpy(numbers.data(), host.data() + compared_bytes(outputs.size()), words * sizeof numbers[0]);
  for (std::size_t i = 0; i < zones.size(); ++i) results.zones.push_back(static_cast<std::int64_t>(numbers[i]));
  results.sums.assign(numbers.begin() + static_cast<std::ptrdiff_t>(zones.size()), numbers.end());
  return results;
}

Result<Magnitude> DeviceTools::magnitude(CUdeviceptr ref, DType dtype, std::int64_t count, const BufferRows& rows,
                                         DType out_dtype, CUstream stream) {
  if (count == 0) return Magnitude{};
  WT_TRY(auto function, find("compare.cu", "sum_squares", compare_options(out_dtype, dtype)));
  const std::int64_t elements = rows.elements(count);
  const LaunchShape shape = shape_for(elements);
  const CUresult status = launch_kernel(*driver_, function, shape, stream, ref, elements, rows, scratch_.get());
  WT_CHECK(check_cuda(*driver_, status, "cannot measure a reference"));
  std::vector<double> sums(2 * std::size_t{shape.grid.x});
  WT_CHECK(read_back(sums.data(), scratch_.get(), sums.size() * sizeof(double), stream));
  double squares = 0, finite = 0;
  for (std::size_t i = 0; i < sums.size(); i += 2) {
    squares += sums[i];
    finite += sums[i + 1];
  }
  return Magnitude{finite > 0 ? std::sqrt(squares / finite) : 0.0, static_cast<std::int64_t>(finite)};
}

Result<std::uint64_t> DeviceTools::checksum(CUdeviceptr data, std::int64_t bytes, CUstream stream) {
  const MemoryRange range{data, bytes};
  WT_TRY(auto found, check({}, {}, {&range, 1}, stream));
  return found.sums.front();
}

Result<std::int64_t> DeviceTools::find_element(CUdeviceptr data, DType dtype, std::int64_t count,
                                               const BufferRows& rows, unsigned char byte, CUstream stream) {
  std::int64_t first = -1;
  if (count == 0) return first;
  WT_TRY(auto function, find("memory.cu", "find_element", {}));
  CUresult status = driver_->cuMemsetD8Async(scratch_.get(), 0xFF, sizeof first, stream);
  if (status == CUDA_SUCCESS)
    status = launch_kernel(*driver_, function, shape_for(count), stream, data, rows.elements(count), rows,
                           static_cast<std::int64_t>(dtype_bytes(dtype)), std::uint64_t{byte}, scratch_.get());
  WT_CHECK(check_cuda(*driver_, status, "cannot search a buffer"));
  WT_CHECK(read_back(&first, scratch_.get(), sizeof first, stream));
  return first;
}

} // namespace warptune
