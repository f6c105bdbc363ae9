#include "gpu/device_tools.h"

#include "embedded/gpu_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace warptune {
namespace {

constexpr unsigned kThreads = 256; // as in compare.cu
constexpr unsigned kMaxBlocks = 1056;
constexpr std::size_t kScratchBytes = 1 << 17;

struct Partial { // as in compare.cu
  double max_abs, max_rel, worst_ratio, worst_out, worst_ref;
  std::int64_t worst_index, mismatches, unwritten;
};
static_assert(sizeof(Partial) * kMaxBlocks <= kScratchBytes);
static_assert(sizeof(GuardZone) == 24); // as Zone in memory.cu

LaunchShape shape_for(std::int64_t count) {
  const std::int64_t wanted = std::max<std::int64_t>(1, (count + kThreads - 1) / kThreads);
  return {{static_cast<std::uint32_t>(std::min<std::int64_t>(wanted, kMaxBlocks)), 1, 1}, kThreads};
}

std::string macro(const char* name, DType dtype) { return fmt::format("-D{}={}", name, dtype_cpp_name(dtype)); }

void merge(Comparison& into, const Partial& from) {
  into.max_abs = std::max(into.max_abs, from.max_abs);
  into.max_rel = std::max(into.max_rel, from.max_rel);
  into.mismatches += from.mismatches;
  into.unwritten += from.unwritten;
  const bool earlier = into.worst_index < 0 || from.worst_index < into.worst_index;
  if (from.worst_index < 0 ||
      !(from.worst_ratio > into.worst_ratio || (from.worst_ratio == into.worst_ratio && earlier)))
    return;
  into.worst_ratio = from.worst_ratio;
  into.worst_index = from.worst_index;
  into.worst_out = from.worst_out;
  into.worst_ref = from.worst_ref;
}

} // namespace

Result<DeviceTools> DeviceTools::make(const Driver& driver, CubinProvider provider) {
  DeviceTools tools;
  tools.driver_ = &driver;
  tools.provider_ = std::move(provider);
  auto scratch = DeviceMemory::allocate(driver, kScratchBytes, "the verifier's scratch memory");
  if (!scratch) return tl::make_unexpected(scratch.error());
  tools.scratch_ = std::move(*scratch);
  return tools;
}

Result<CUfunction> DeviceTools::find(const char* file, const char* kernel, std::vector<std::string> options) {
  std::string key = file;
  for (const std::string& option : options) key += option;
  auto found = programs_.find(key);
  if (found == programs_.end()) {
    CompileRequest request;
    request.source_name = file;
    request.source = embedded::gpu_kernels::find(file).value_or("");
    request.headers.emplace_back("convert.cuh", embedded::gpu_kernels::find("convert.cuh").value_or(""));
    request.options = std::move(options);
    auto program = DeviceProgram::load(*driver_, provider_, request);
    if (!program) return tl::make_unexpected(program.error());
    found = programs_.emplace(std::move(key), std::move(*program)).first;
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
  auto function = find("fill.cu", kernel, {macro("WT_T", dtype)});
  if (!function) return tl::make_unexpected(function.error());
  const LaunchShape shape = shape_for(count);
  CUresult status = CUDA_SUCCESS;
  if (fill.kind == Fill::Kind::constant)
    status = launch_kernel(*driver_, *function, shape, stream, data, count, fill.a);
  else if (fill.kind == Fill::Kind::integers)
    status = launch_kernel(*driver_, *function, shape, stream, data, count, seed, static_cast<std::int64_t>(fill.a),
                           static_cast<std::int64_t>(fill.b));
  else
    status = launch_kernel(*driver_, *function, shape, stream, data, count, seed, fill.a, fill.b);
  return check_cuda(*driver_, status, "cannot fill an input");
}

Result<void> DeviceTools::poison(CUdeviceptr out, DType dtype, CUdeviceptr ref, DType ref_dtype, std::int64_t count,
                                 CUstream stream) {
  if (count == 0) return {};
  if (dtype_is_floating(dtype)) {
    const auto bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(dtype_bytes(dtype));
    return check_cuda(*driver_, driver_->cuMemsetD8Async(out, 0xFF, bytes, stream), "cannot poison an output");
  }
  if (dtype_is_floating(ref_dtype))
    return fail(ErrorKind::bad_input,
                "an integer output needs an integer reference; correct reference/types in spec.json");
  auto function = find("compare.cu", "poison_integers",
                       {macro("WT_OUT", dtype), macro("WT_REF", ref_dtype), "-DWT_OUT_IS_INTEGER=1"});
  if (!function) return tl::make_unexpected(function.error());
  return check_cuda(*driver_, launch_kernel(*driver_, *function, shape_for(count), stream, out, ref, count),
                    "cannot poison an output");
}

Result<Comparison> DeviceTools::compare(CUdeviceptr out, DType dtype, CUdeviceptr ref, DType ref_dtype,
                                        std::int64_t count, double rtol, double atol, CUstream stream) {
  Comparison result;
  if (count == 0) return result;
  const bool integers = !dtype_is_floating(dtype) && !dtype_is_floating(ref_dtype);
  auto function = find(
      "compare.cu", "compare",
      {macro("WT_OUT", dtype), macro("WT_REF", ref_dtype), fmt::format("-DWT_OUT_IS_INTEGER={}", integers ? 1 : 0)});
  if (!function) return tl::make_unexpected(function.error());
  const LaunchShape shape = shape_for(count);
  const CUresult status =
      launch_kernel(*driver_, *function, shape, stream, out, ref, count, rtol, atol, scratch_.get());
  if (auto launched = check_cuda(*driver_, status, "cannot compare an output"); !launched)
    return tl::make_unexpected(launched.error());
  std::vector<Partial> partials(shape.grid.x);
  if (auto read = read_back(partials.data(), scratch_.get(), partials.size() * sizeof(Partial), stream); !read)
    return tl::make_unexpected(read.error());
  for (const Partial& partial : partials) merge(result, partial);
  return result;
}

Result<Magnitude> DeviceTools::magnitude(CUdeviceptr ref, DType dtype, std::int64_t count, CUstream stream) {
  if (count == 0) return Magnitude{};
  auto function = find("compare.cu", "sum_squares",
                       {macro("WT_OUT", dtype), macro("WT_REF", dtype),
                        fmt::format("-DWT_OUT_IS_INTEGER={}", dtype_is_floating(dtype) ? 0 : 1)});
  if (!function) return tl::make_unexpected(function.error());
  const LaunchShape shape = shape_for(count);
  const CUresult status = launch_kernel(*driver_, *function, shape, stream, ref, count, scratch_.get());
  if (auto launched = check_cuda(*driver_, status, "cannot measure a reference"); !launched)
    return tl::make_unexpected(launched.error());
  std::vector<double> sums(2 * std::size_t{shape.grid.x});
  if (auto read = read_back(sums.data(), scratch_.get(), sums.size() * sizeof(double), stream); !read)
    return tl::make_unexpected(read.error());
  double squares = 0, finite = 0;
  for (std::size_t i = 0; i < sums.size(); i += 2) {
    squares += sums[i];
    finite += sums[i + 1];
  }
  return Magnitude{finite > 0 ? std::sqrt(squares / finite) : 0.0, static_cast<std::int64_t>(finite)};
}

Result<std::uint64_t> DeviceTools::checksum(CUdeviceptr data, std::int64_t bytes, CUstream stream) {
  if (bytes == 0) return std::uint64_t{0};
  auto function = find("memory.cu", "checksum", {});
  if (!function) return tl::make_unexpected(function.error());
  CUresult status = driver_->cuMemsetD8Async(scratch_.get(), 0, sizeof(std::uint64_t), stream);
  if (status == CUDA_SUCCESS)
    status = launch_kernel(*driver_, *function, shape_for(bytes / 8), stream, data, bytes, scratch_.get());
  if (auto launched = check_cuda(*driver_, status, "cannot sum an input"); !launched)
    return tl::make_unexpected(launched.error());
  std::uint64_t sum = 0;
  if (auto read = read_back(&sum, scratch_.get(), sizeof sum, stream); !read) return tl::make_unexpected(read.error());
  return sum;
}

Result<std::int64_t> DeviceTools::find_element(CUdeviceptr data, DType dtype, std::int64_t count, unsigned char byte,
                                               CUstream stream) {
  std::int64_t first = -1;
  if (count == 0) return first;
  auto function = find("memory.cu", "find_element", {});
  if (!function) return tl::make_unexpected(function.error());
  CUresult status = driver_->cuMemsetD8Async(scratch_.get(), 0xFF, sizeof first, stream);
  if (status == CUDA_SUCCESS)
    status = launch_kernel(*driver_, *function, shape_for(count), stream, data, count,
                           static_cast<std::int64_t>(dtype_bytes(dtype)), std::uint64_t{byte}, scratch_.get());
  if (auto launched = check_cuda(*driver_, status, "cannot search a buffer"); !launched)
    return tl::make_unexpected(launched.error());
  if (auto read = read_back(&first, scratch_.get(), sizeof first, stream); !read)
    return tl::make_unexpected(read.error());
  return first;
}

Result<std::vector<std::int64_t>> DeviceTools::check_zones(std::span<const GuardZone> zones, CUstream stream) {
  std::vector<std::int64_t> first_bad(zones.size(), -1);
  if (zones.empty()) return first_bad;
  const std::size_t zone_bytes = zones.size_bytes(), result_bytes = zones.size() * sizeof(std::int64_t);
  if (zone_bytes + result_bytes > kScratchBytes)
    return fail(ErrorKind::internal, "more buffers than the guard check can hold");
  auto function = find("memory.cu", "check_zones", {});
  if (!function) return tl::make_unexpected(function.error());
  const CUdeviceptr results = scratch_.get() + zone_bytes;
  CUresult status = driver_->cuMemcpyHtoDAsync(scratch_.get(), zones.data(), zone_bytes, stream);
  if (status == CUDA_SUCCESS) status = driver_->cuMemsetD8Async(results, 0xFF, result_bytes, stream);
  if (status == CUDA_SUCCESS)
    status =
        launch_kernel(*driver_, *function, LaunchShape{{16, static_cast<std::uint32_t>(zones.size()), 1}, kThreads},
                      stream, scratch_.get(), results);
  if (auto launched = check_cuda(*driver_, status, "cannot check the guard zones"); !launched)
    return tl::make_unexpected(launched.error());
  if (auto read = read_back(first_bad.data(), results, result_bytes, stream); !read)
    return tl::make_unexpected(read.error());
  return first_bad;
}

} // namespace warptune
