#include "profiler/peaks.h"

#include "embedded/profiler_kernels.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
constexpr std::size_t kMinBytes = std::size_t{1} << 26;
constexpr unsigned kThreads = 256;
constexpr std::size_t kLargestTile = 16 * 8 * kThreads; // bytes that a block of the widest kernel takes at once

// Few samples suffice: each is hundreds of microseconds long and the best of several shapes is kept.
MeasureOptions short_options() {
  MeasureOptions options;
  options.min_samples = 5;
  options.max_samples = 9;
  options.max_ms = 12;
  return options;
}

class PeakRun {
 public:
  PeakRun(const Driver& driver, const DeviceInfo& device, DeviceTimer& timer, CUstream stream)
      : driver_(driver), device_(device), timer_(timer), stream_(stream) {}

  Result<void> load(const CubinProvider& provider, const char* file) {
    CompileRequest request;
    request.source_name = file;
    request.source = embedded::profiler_kernels::find(file).value_or("");
    auto program = DeviceProgram::load(driver_, provider, request);
    if (!program) return tl::make_unexpected(program.error());
    program_ = std::move(*program);
    return {};
  }

  // `amount` of work per run; the rate is amount / time in units of 1e9 (bytes) or 1e12 (flops).
  Result<void> time(const std::string& what, double amount, double unit, double& best,
                    const std::function<CUresult(CUstream)>& run) {
    CUresult status = run(stream_);
    if (status == CUDA_SUCCESS) status = driver_.cuStreamSynchronize(stream_);
    if (status != CUDA_SUCCESS) return check_cuda(driver_, status, fmt::format("cannot measure the peak {}", what));
    auto timing = timer_.measure({run, {}, 1}, short_options(), stream_);
    if (!timing) return check_cuda(driver_, timing.error(), fmt::format("cannot measure the peak {}", what));
    const double rate = amount / (timing->median_us * 1e-6) / unit;
    best = std::max(best, rate);
    peaks.trials.push_back({what, rate, timing->median_us});
    return {};
  }

  template <class... Args>
  Result<void> time_kernel(const char* kernel, unsigned blocks, unsigned threads, unsigned shared, double amount,
                           double unit, double& best, Args... args) {
    auto function = program_.function(kernel);
    if (!function) return tl::make_unexpected(function.error());
    if (shared > 48 * 1024)
      driver_.cuFuncSetAttribute(*function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(shared));
    const std::string what = fmt::format("{} {}x{}", kernel, blocks, threads);
    return time(what, amount, unit, best, [&](CUstream stream) {
      return launch_kernel(driver_, *function, LaunchShape{{blocks, 1, 1}, threads, shared}, stream, args...);
    });
  }

  Result<void> memory(CUdeviceptr data, std::size_t bytes) {
    const auto sms = static_cast<unsigned>(device_.limits.sm_count);
    const auto whole = static_cast<double>(bytes);
    const std::size_t half = bytes / 2;
    const CUdeviceptr second = data + half;
    const auto vectors = static_cast<std::int64_t>(bytes / 16), half_vectors = static_cast<std::int64_t>(half / 16);
    Roofs& roofs = peaks.roofs;
    Result<void> ok;
    for (const unsigned per_sm : {4U, 8U, 0U}) { // 0: a block per tile
      for (const int unroll : {4, 8}) {
        const auto tiles = [&](std::int64_t count) {
          return per_sm == 0 ? static_cast<unsigned>(count / unroll / kThreads) : per_sm * sms;
        };
        if (ok)
          ok = time_kernel(unroll == 4 ? "read_4" : "read_8", tiles(vectors), kThreads, 0, whole, 1e9,
                           roofs.dram_read_gbs, data, second, vectors);
        if (ok)
          ok = time_kernel(unroll == 4 ? "copy_4" : "copy_8", tiles(half_vectors), kThreads, 0, whole, 1e9,
                           roofs.dram_copy_gbs, data, second, half_vectors);
      }
    }
    const auto all_tiles = static_cast<unsigned>(half_vectors / kThreads);
    if (ok)
      ok = time_kernel("copy_1", all_tiles, kThreads, 0, whole, 1e9, roofs.dram_copy_gbs, data, second, half_vectors);
    if (ok)
      ok = time_kernel("write_1", 2 * all_tiles, kThreads, 0, whole, 1e9, roofs.dram_write_gbs, data, 7U, vectors);
    if (ok) ok = time_kernel("write_4", 8 * sms, kThreads, 0, whole, 1e9, roofs.dram_write_gbs, data, 7U, vectors);
    if (ok)
      ok = time("memset", whole, 1e9, roofs.dram_write_gbs,
                [&](CUstream stream) { return driver_.cuMemsetD8Async(data, 3, bytes, stream); });
    if (ok)
      ok = time("device copy", whole, 1e9, roofs.dram_copy_gbs,
                [&](CUstream stream) { return driver_.cuMemcpyDtoDAsync(second, data, half, stream); });
    return ok;
  }

  Result<void> arithmetic(CUdeviceptr sink) {
    const auto sms = static_cast<unsigned>(device_.limits.sm_count);
    const unsigned blocks = 8 * sms;
    const int rounds = 256;
    const double fmas = 8.0 * 16 * rounds * blocks * kThreads; // kChains * kSteps, as in peaks.cu
    Roofs& roofs = peaks.roofs;
    Result<void> ok =
        time_kernel("fma_fp32", blocks, kThreads, 0, 2 * fmas, 1e12, roofs.fp32_tflops, sink, rounds, 0.999F, 1e-3F);
    if (ok)
      ok = time_kernel("fma_fp16x2", blocks, kThreads, 0, 4 * fmas, 1e12, roofs.fp16_tflops, sink, rounds, 0.5F, 0.25F);
    // Consumer chips do fp64 at 1/64 of fp32: a sixteenth of the rounds still fills a millisecond there.
    if (ok)
      ok = time_kernel("fma_fp64", blocks, kThreads, 0, 2 * fmas / 4, 1e12, roofs.fp64_tflops, sink, rounds / 4, 0.999,
                       1e-3);
    const int mma_rounds = 2048;
    const double mma_flops = 2.0 * 16 * 8 * 16 * 4 * mma_rounds * (kThreads / 32) * blocks;
    if (ok && device_.limits.compute_capability >= 80)
      ok = time_kernel("mma_bf16", blocks, kThreads, 0, mma_flops, 1e12, roofs.tensor_tflops, sink, mma_rounds, 7U);
    return ok;
  }

  Result<void> wgmma(CUdeviceptr sink) {
    const auto sms = static_cast<unsigned>(device_.limits.sm_count);
    const int rounds = 1024;
    const double flops = 2.0 * 64 * 256 * 16 * 4 * rounds * 2 * sms; // four products a round, two warpgroups
    return time_kernel("wgmma_bf16", sms, 256, 64 * 1024, flops, 1e12, peaks.roofs.tensor_tflops, sink, rounds, 7U);
  }

  Peaks peaks;

 private:
  const Driver& driver_;
  const DeviceInfo& device_;
  DeviceTimer& timer_;
  CUstream stream_;
  DeviceProgram program_;
};

} // namespace

Result<Peaks> measure_peaks(const Driver& driver, const CubinProvider& provider, const DeviceInfo& device,
                            DeviceTimer& timer, CUstream stream) {
  std::size_t free_bytes = 0, total = 0;
  driver.cuMemGetInfo(&free_bytes, &total);
  std::size_t bytes = kMaxBytes;
  while (bytes > free_bytes / 2 && bytes > kMinBytes) bytes /= 2;
  static_assert(kMinBytes / 2 % kLargestTile == 0);
  auto memory = DeviceMemory::allocate(driver, bytes, "measuring the memory bandwidth");
  if (!memory) return tl::make_unexpected(memory.error());
  PeakRun run(driver, device, timer, stream);
  Result<void> ok = run.load(provider, "peaks.cu");
  // Not zeros: constant data draws less power and would promise rates that no real data reaches.
  std::vector<std::uint32_t> noise(std::size_t{1} << 20);
  std::uint32_t state = 1;
  for (std::uint32_t& word : noise) word = state = state * 1664525U + 1013904223U;
  for (std::size_t at = 0; ok && at < bytes; at += noise.size() * 4)
    ok = check_cuda(driver, driver.cuMemcpyHtoDAsync(memory->get() + at, noise.data(), noise.size() * 4, stream),
                    "cannot fill the memory for the bandwidth measurement");
  if (ok) ok = run.arithmetic(memory->get());
  if (ok) ok = run.memory(memory->get(), bytes);
  if (ok && device.arch == "sm_90a") {
    ok = run.load(provider, "peaks_wgmma.cu");
    if (ok) ok = run.wgmma(memory->get());
  }
  if (!ok) return tl::make_unexpected(ok.error());
  run.peaks.roofs.measured = true;
  return std::move(run.peaks);
}

} // namespace warptune
