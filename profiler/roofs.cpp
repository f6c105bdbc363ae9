#include "profiler/roofs.h"

#include "profiler/roof_run.h"

#include <algorithm>
#include <array>

namespace warptune {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
constexpr std::size_t kMinBytes = std::size_t{1} << 26;
constexpr unsigned kThreads = 256;
constexpr std::size_t kLargestTile =
    std::size_t{16} * 8 * 1024; // bytes that a block of the widest kernel takes at once

// One block per tile, in order: of all launch shapes, the accesses of this one are closest together in DRAM.
Result<void> measure_dram(RoofRun& run, const Driver& driver, CUdeviceptr data, std::size_t bytes) {
  const std::size_t half = bytes / 2;
  const CUdeviceptr second = data + half;
  const auto vectors = static_cast<std::int64_t>(bytes / 16), half_vectors = vectors / 2;
  const auto all = static_cast<std::int64_t>(bytes);
  const RoofRun::Work reading{static_cast<double>(bytes)}, copying{reading.amount, all / 2},
      writing{reading.amount, all};
  const auto shape = [](std::int64_t count, unsigned threads, unsigned unroll) {
    return LaunchShape{{static_cast<unsigned>(count) / unroll / threads, 1, 1}, threads};
  };
  Result<void> ok;
  for (const unsigned threads : {256U, 512U, 1024U}) {
    for (const unsigned unroll : {4U, 8U})
      if (ok)
        ok = run.time_kernel(&Roofs::dram_read_gbs, "read_" + std::to_string(unroll), shape(vectors, threads, unroll),
                             reading, data, second, vectors);
    for (const unsigned unroll : {1U, 4U})
      for (const char* kernel : {"copy_", "copy_plain_"})
        if (ok)
          ok = run.time_kernel(&Roofs::dram_copy_gbs, kernel + std::to_string(unroll),
                               shape(half_vectors, threads, unroll), copying, data, second, half_vectors);
    if (ok)
      ok = run.time_kernel(&Roofs::dram_write_gbs, "write_1", shape(vectors, threads, 1), writing, data, 7U, vectors);
  }
  if (ok)
    ok = run.time(&Roofs::dram_write_gbs, "memset", writing,
                  [&](CUstream stream) { return driver.cuMemsetD8Async(data, 3, bytes, stream); });
  if (ok)
    ok = run.time(&Roofs::dram_copy_gbs, "device copy", copying,
                  [&](CUstream stream) { return driver.cuMemcpyDtoDAsync(second, data, half, stream); });
  return ok;
}

// All blocks together read about a quarter of the L2. They read at most half of it, because an L2 may have two halves,
// of which only one is near an SM.
Result<void> measure_caches(RoofRun& run, const DeviceLimits& limits, CUdeviceptr data, std::size_t bytes) {
  const auto sms = static_cast<unsigned>(limits.sm_count);
  const std::size_t l2 = std::min(static_cast<std::size_t>(std::max<std::int64_t>(limits.l2_bytes, 0)), bytes);
  constexpr unsigned kBlock = 1024;
  Result<void> ok;
  for (const unsigned blocks : {sms, 2 * sms})
    for (const unsigned threads : {kBlock, kBlock / 2, kBlock / 4}) {
      const std::size_t smallest = std::size_t{blocks} * threads * 16 * 8; // read_l2's tiles
      if (!ok || smallest > l2 / 2) continue;
      const std::size_t tiles = std::max<std::size_t>(1, l2 / 4 / smallest);
      const auto rounds = static_cast<int>(std::max<std::size_t>(1, 64 / tiles));
      ok = run.time_kernel(&Roofs::l2_gbs, "read_l2", {{blocks, 1, 1}, threads},
                           {static_cast<double>(smallest * tiles) * rounds, 0, false}, data, data,
                           static_cast<int>(tiles * threads * 8), rounds);
    }
  const int rounds = 512;
  const RoofRun::Work reading{16.0 * 8 * rounds * kBlock * sms, 0, false};
  if (ok) ok = run.time_kernel(&Roofs::shared_gbs, "read_shared", {{sms, 1, 1}, kBlock}, reading, data, rounds);
  return ok;
}

Result<void> measure_arithmetic(RoofRun& run, const DeviceLimits& limits, CUdeviceptr sink) {
  const LaunchShape shape{{static_cast<unsigned>(8 * limits.sm_count), 1, 1}, kThreads};
  const int rounds = 256;
  const double fmas = 8.0 * 16 * rounds * shape.grid.x * kThreads; // kChains * kSteps, as in roofs_fma.cu
  Result<void> ok =
      run.time_kernel(&Roofs::fp32_tflops, "fma_fp32", shape, {2 * fmas, 0, false}, sink, rounds, 0.999F, 1e-3F);
  // fp16 pairs of 0.5 and of 0.25.
  if (ok)
    ok = run.time_kernel(&Roofs::fp16_tflops, "fma_fp16x2", shape, {4 * fmas, 0, false}, sink, rounds, 0x38003800U,
                         0x34003400U);
  // Consumer chips do fp64 at 1/64 of fp32: a quarter of the rounds still fills a millisecond there.
  if (ok)
    ok = run.time_kernel(&Roofs::fp64_tflops, "fma_fp64", shape, {fmas / 2, 0, false}, sink, rounds / 4, 0.999, 1e-3);
  return ok;
}

struct TensorRoof {
  const char* name;
  double Roofs::*roof;
  int bytes;               // bytes of an element
  std::uint32_t keep, set; // bits of a random word that stay, and bits that are set: magnitudes of 0.5 to 1
  int since;               // lowest compute capability
};
constexpr std::array kTensorRoofs = {
    TensorRoof{"bf16", &Roofs::tensor_tflops, 2, 0x807F807F, 0x3F003F00, 80},
    TensorRoof{"fp16", &Roofs::tensor_fp16_tflops, 2, 0x83FF83FF, 0x38003800, 75},
    TensorRoof{"tf32", &Roofs::tensor_tf32_tflops, 4, 0x807FE000, 0x3F000000, 80},
    TensorRoof{"fp8", &Roofs::tensor_fp8_tflops, 1, 0x87878787, 0x30303030, 89}, // e4m3
    TensorRoof{"int8", &Roofs::tensor_int8_tflops, 1, 0xFFFFFFFF, 0, 75},
};

// The products of one warp's mma.sync, as in roofs_mma.cu for the architecture.
int products_of_mma(const TensorRoof& type, std::int64_t compute_capability) {
  if (compute_capability >= 80) return 16 * 8 * 32 / type.bytes;
  return type.bytes == 2 ? 16 * 8 * 8 : 8 * 8 * 16;
}

Result<void> measure_mma(RoofRun& run, const DeviceInfo& device, CUdeviceptr sink, bool has_wgmma) {
  const std::int64_t capability = device.limits.compute_capability;
  const LaunchShape shape{{static_cast<unsigned>(8 * device.limits.sm_count), 1, 1}, kThreads};
  const int rounds = 512;
  const double products = 4.0 * rounds * shape.grid.x * kThreads / 32; // kTiles per round and warp
  Result<void> ok;
  for (const TensorRoof& type : kTensorRoofs)
    if (ok && capability >= type.since && !has_wgmma)
      ok = run.time_kernel(type.roof, std::string("mma_") + type.name, shape,
                           {2 * products * products_of_mma(type, capability), 0, false}, sink, rounds, type.keep,
                           type.set);
  const int fp64_products = capability >= 90 ? 16 * 8 * 16 : 8 * 8 * 4;
  if (ok && capability >= 80)
    ok = run.time_kernel(&Roofs::tensor_fp64_tflops, "mma_fp64", shape, {2 * products / 4 * fp64_products, 0, false},
                         sink, rounds / 4);
  return ok;
}

Result<void> measure_wgmma(RoofRun& run, const DeviceLimits& limits, CUdeviceptr sink) {
  const auto sms = static_cast<unsigned>(limits.sm_count);
  const LaunchShape shape{{sms, 1, 1}, 256, 48 * 1024}; // two warpgroups; kTileA and kTileB
  const int rounds = 1024;
  const CUdeviceptr spent = sink + 256;
  Result<void> ok;
  for (const TensorRoof& type : kTensorRoofs)
    if (ok)
      ok = run.time_kernel(type.roof, std::string("wgmma_") + type.name, shape,
                           {2.0 * 64 * 256 * (32.0 / type.bytes) * 4 * rounds * 2 * sms, 0, false, spent}, sink, spent,
                           rounds, type.keep, type.set);
  return ok;
}

// Not zeros: constant data draws less power, and would give rates that real data does not reach.
Result<void> fill_with_noise(const Driver& driver, CUdeviceptr data, std::size_t bytes, CUstream stream) {
  std::vector<std::uint32_t> noise(std::size_t{1} << 20);
  std::uint32_t state = 1;
  for (std::uint32_t& word : noise) word = state = state * 1664525U + 1013904223U;
  std::size_t filled = noise.size() * sizeof(std::uint32_t);
  CUresult status = driver.cuMemcpyHtoDAsync(data, noise.data(), filled, stream);
  for (; status == CUDA_SUCCESS && filled < bytes; filled *= 2)
    status = driver.cuMemcpyDtoDAsync(data + filled, data, filled, stream);
  if (status == CUDA_SUCCESS) status = driver.cuStreamSynchronize(stream); // before `noise` is freed
  return check_cuda(driver, status, "cannot fill the memory for the bandwidth measurement");
}

} // namespace

std::size_t probe_bytes(std::size_t free_bytes) {
  std::size_t bytes = kMaxBytes;
  while (bytes > free_bytes / 2 && bytes > kMinBytes) bytes /= 2;
  static_assert(kMinBytes / 2 % kLargestTile == 0);
  return bytes;
}

Result<MeasuredRoofs> measure_roofs(const Driver& driver, const CubinProvider& provider, const DeviceInfo& device,
                                    DeviceTimer& timer, CUstream stream) {
  std::size_t free_bytes = 0, total = 0;
  driver.cuMemGetInfo(&free_bytes, &total);
  const std::size_t bytes = probe_bytes(free_bytes);
  WT_TRY(auto memory, DeviceMemory::allocate(driver, bytes, "measuring the memory bandwidth"));
  const CUdeviceptr data = memory.get();
  const bool has_wgmma = device.arch == "sm_90a";
  RoofRun run(driver, timer, stream);
  Result<void> ok = fill_with_noise(driver, data, bytes, stream);
  if (ok) ok = run.load(provider, "roofs_memory.cu");
  if (ok) ok = measure_caches(run, device.limits, data, bytes);
  if (ok) ok = measure_dram(run, driver, data, bytes);
  if (ok) ok = run.load(provider, "roofs_fma.cu");
  if (ok) ok = measure_arithmetic(run, device.limits, data);
  if (ok && device.limits.compute_capability >= 75) {
    ok = run.load(provider, "roofs_mma.cu");
    if (ok) ok = measure_mma(run, device, data, has_wgmma);
  }
  // Last, because they draw so much power that later measurements would run at a lower clock.
  if (ok && has_wgmma) {
    ok = run.load(provider, "roofs_wgmma.cu");
    if (ok) ok = measure_wgmma(run, device.limits, data);
  }
  WT_CHECK(ok);
  run.measured.roofs.measured = true;
  run.measured.roofs.driver = device.driver;
  return std::move(run.measured);
}

} // namespace warptune
