#include "profiler/peaks.h"

#include "embedded/profiler_kernels.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
constexpr std::size_t kMinBytes = std::size_t{1} << 26;
constexpr unsigned kThreads = 256;
constexpr unsigned kWarps = kThreads / 32;
constexpr std::size_t kLargestTile =
    std::size_t{16} * 8 * 1024; // bytes that a block of the widest kernel takes at once

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
  // `written`: bytes of it that are written.
  Result<void> time(const std::string& what, double amount, double unit, double& best, std::int64_t written,
                    const std::function<CUresult(CUstream)>& run) {
    CUresult status = run(stream_);
    if (status == CUDA_SUCCESS) status = driver_.cuStreamSynchronize(stream_);
    if (status != CUDA_SUCCESS) return check_cuda(driver_, status, fmt::format("cannot measure the peak {}", what));
    auto timing = timer_.measure({run, {}, written, 1}, short_options(), stream_);
    if (!timing) return check_cuda(driver_, timing.error(), fmt::format("cannot measure the peak {}", what));
    const double rate = amount / (timing->median_us * 1e-6) / unit;
    best = std::max(best, rate);
    peaks.trials.push_back({what, rate, timing->median_us});
    return {};
  }

  struct KernelShape {
    unsigned blocks, threads = kThreads, shared_bytes = 0;
    std::int64_t written = 0;
  };

  template <class... Args>
  Result<void> time_kernel(const char* kernel, const KernelShape& shape, double amount, double unit, double& best,
                           Args... args) {
    auto function = program_.function(kernel);
    if (!function) return tl::make_unexpected(function.error());
    if (shape.shared_bytes > 48 * 1024)
      driver_.cuFuncSetAttribute(*function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 static_cast<int>(shape.shared_bytes));
    const std::string what = fmt::format("{} {}x{}", kernel, shape.blocks, shape.threads);
    return time(what, amount, unit, best, shape.written, [&](CUstream stream) {
      return launch_kernel(driver_, *function, LaunchShape{{shape.blocks, 1, 1}, shape.threads, shape.shared_bytes},
                           stream, args...);
    });
  }

  // A block for each tile, in order: of all launch shapes the one whose accesses lie closest together in DRAM.
  Result<void> memory(CUdeviceptr data, std::size_t bytes) {
    const auto whole = static_cast<double>(bytes);
    const std::size_t half = bytes / 2;
    const CUdeviceptr second = data + half;
    const auto vectors = static_cast<std::int64_t>(bytes / 16), half_vectors = vectors / 2;
    const auto all = static_cast<std::int64_t>(bytes);
    const auto tiles = [](std::int64_t count, unsigned threads, int unroll) {
      return static_cast<unsigned>(count / unroll / threads);
    };
    Roofs& roofs = peaks.roofs;
    Result<void> ok;
    for (const unsigned threads : {256U, 512U, 1024U}) {
      if (ok)
        ok = time_kernel("read_4", {tiles(vectors, threads, 4), threads}, whole, 1e9, roofs.dram_read_gbs, data, second,
                         vectors);
      if (ok)
        ok = time_kernel("read_8", {tiles(vectors, threads, 8), threads}, whole, 1e9, roofs.dram_read_gbs, data, second,
                         vectors);
      for (const char* kernel : {"copy_1", "copy_plain_1"})
        if (ok)
          ok = time_kernel(kernel, {tiles(half_vectors, threads, 1), threads, 0, all / 2}, whole, 1e9,
                           roofs.dram_copy_gbs, data, second, half_vectors);
      for (const char* kernel : {"copy_4", "copy_plain_4"})
        if (ok)
          ok = time_kernel(kernel, {tiles(half_vectors, threads, 4), threads, 0, all / 2}, whole, 1e9,
                           roofs.dram_copy_gbs, data, second, half_vectors);
      if (ok)
        ok = time_kernel("write_1", {tiles(vectors, threads, 1), threads, 0, all}, whole, 1e9, roofs.dram_write_gbs,
                         data, 7U, vectors);
    }
    if (ok)
      ok = time("memset", whole, 1e9, roofs.dram_write_gbs, all,
                [&](CUstream stream) { return driver_.cuMemsetD8Async(data, 3, bytes, stream); });
    if (ok)
      ok = time("device copy", whole, 1e9, roofs.dram_copy_gbs, all / 2,
                [&](CUstream stream) { return driver_.cuMemcpyDtoDAsync(second, data, half, stream); });
    return ok;
  }

  Result<void> arithmetic(CUdeviceptr sink) {
    const auto sms = static_cast<unsigned>(device_.limits.sm_count);
    const unsigned blocks = 8 * sms;
    const int rounds = 256;
    const double fmas = 8.0 * 16 * rounds * blocks * kThreads; // kChains * kSteps, as in peaks.cu
    Roofs& roofs = peaks.roofs;
    Result<void> ok = time_kernel("fma_fp32", {blocks}, 2 * fmas, 1e12, roofs.fp32_tflops, sink, rounds, 0.999F, 1e-3F);
    if (ok) ok = time_kernel("fma_fp16x2", {blocks}, 4 * fmas, 1e12, roofs.fp16_tflops, sink, rounds, 0.5F, 0.25F);
    // Consumer chips do fp64 at 1/64 of fp32: a sixteenth of the rounds still fills a millisecond there.
    if (ok)
      ok = time_kernel("fma_fp64", {blocks}, 2 * fmas / 4, 1e12, roofs.fp64_tflops, sink, rounds / 4, 0.999, 1e-3);
    const int mma_rounds = 2048;
    const double mma_flops = 2.0 * 16 * 8 * 16 * 4 * mma_rounds * kWarps * blocks;
    if (ok && device_.limits.compute_capability >= 80)
      ok = time_kernel("mma_bf16", {blocks}, mma_flops, 1e12, roofs.tensor_tflops, sink, mma_rounds, 7U);
    return ok;
  }

  Result<void> wgmma(CUdeviceptr sink) {
    const auto sms = static_cast<unsigned>(device_.limits.sm_count);
    const int rounds = 1024;
    const double flops = 2.0 * 64 * 256 * 16 * 4 * rounds * 2 * sms; // four products a round, two warpgroups
    return time_kernel("wgmma_bf16", {sms, 256, 64 * 1024}, flops, 1e12, peaks.roofs.tensor_tflops, sink, rounds, 7U);
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
