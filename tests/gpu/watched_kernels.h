// Kernels with a known hot line, for tests that sample or count their instructions through the real CUPTI.
#pragma once

#include "gpu/fixture.h"
#include "profiler/counter_source.h"
#include "profiler/pc_sampler.h"
#include "profiler/source_lines.h"

#include <chrono>
#include <cstdio>
#include <numeric>
#include <sstream>

namespace warptune::test {

// "HOT" marks the line in which a kernel spends its time.
inline constexpr const char* kWatchedSource = R"(
extern "C" __global__ void uncoalesced(const float* x, float* y, int rows, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[(long long)row * n + i * 33 % n]; // HOT uncoalesced
  y[row] = sum;
}
extern "C" __global__ void conflicts(const float* x, float* y, int n) {
  __shared__ float tile[32 * 32];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i] = x[i];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += tile[(threadIdx.x % 32) * 32 + ((i + threadIdx.x / 32) & 31)]; // HOT conflicts
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void busy(float* y, int n) {
  float a = y[threadIdx.x], b = a, c = a, d = a;
  for (int i = 0; i < n; ++i) a = a * 1.1f + 1, b = b * 1.2f + 2, c = c * 1.3f + 3, d = d * 1.4f + 4; // HOT busy
  y[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}
)";

inline constexpr int kRows = 132 * 8 * 256, kLength = 64;

inline std::int64_t marked_line(const std::string& mark) {
  std::istringstream lines(kWatchedSource);
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find("// HOT " + mark) != std::string::npos) return number;
  }
  return 0;
}

inline std::int64_t total(const StallCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& count) { return sum + count.second; });
}

class WatchedKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    WT_REQUIRE_GPU();
    request_.source_name = "watched_kernels.cu";
    request_.source = kWatchedSource;
    request_.options = {"-lineinfo"};
    CudaDevice& device = gpu_device();
    cubin_ = device.provider(request_).value();
    x_ = DeviceMemory::allocate(device.driver(), std::size_t{kRows} * kLength * 4, "a test").value();
    y_ = DeviceMemory::allocate(device.driver(), std::size_t{kRows} * 4, "a test").value();
    device.driver().cuMemsetD32Async(x_.get(), 0, x_.bytes() / 4, stream());
    device.driver().cuMemsetD32Async(y_.get(), 0, y_.bytes() / 4, stream());
  }
  static CUstream stream() { return gpu_device().stream.get(); }

  Result<PcSampler> open_sampler() const {
    CudaDevice& device = gpu_device();
    return PcSampler::open(device.driver(), device.provider, device.info.limits);
  }
  void load() { program_ = DeviceProgram::load(gpu_device().driver(), gpu_device().provider, request_).value(); }

  ProfiledWork work(const std::string& name) {
    const CUfunction kernel = program_.function(name.c_str()).value();
    const LaunchShape shape{{kRows / 256, 1, 1}, 256};
    return {[this, name, kernel, shape](CUstream s) {
      const Driver& driver = gpu_device().driver();
      if (name == "uncoalesced")
        return launch_kernel(driver, kernel, shape, s, x_.get(), y_.get(), int{kRows}, int{kLength});
      if (name == "conflicts") return launch_kernel(driver, kernel, shape, s, x_.get(), y_.get(), 4096);
      return launch_kernel(driver, kernel, shape, s, y_.get(), 8192);
    }};
  }

  // Prints the samples, so that a failure shows them.
  PcSamples sample(PcSampler& sampler, const std::string& name, const SamplingPlan& plan = {4, 10}) {
    const auto begin = std::chrono::steady_clock::now();
    auto samples = sampler.sample(work(name), cubin_, plan, true, stream());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(samples) << samples.error().message;
    if (!samples) return {};
    EXPECT_TRUE(find_source_lines(*samples, cubin_));
    std::printf("%s: period 2^%d, %d launches, %.1f ms, %zu instructions, %lld dropped\n", name.c_str(),
                plan.period_log2, plan.launches, took.count(), samples->instructions.size(),
                static_cast<long long>(samples->dropped));
    for (const InstructionSamples& at : samples->instructions) {
      std::printf("  %s+0x%llx %s:%lld %lld samples, %lld not issued:", at.function.c_str(),
                  static_cast<unsigned long long>(at.offset), at.file.c_str(), static_cast<long long>(at.line),
                  static_cast<long long>(total(at.stalls)), static_cast<long long>(total(at.not_issued)));
      for (const auto& [reason, count] : at.stalls)
        std::printf(" %s %lld", reason.c_str(), static_cast<long long>(count));
      std::printf("\n");
    }
    return std::move(*samples);
  }

  CompileRequest request_;
  std::string cubin_;
  DeviceProgram program_;
  DeviceMemory x_, y_;
};

} // namespace warptune::test
