// The timer and the measured roofs. Compares times with one another, never with a wall clock.
#include "core/statistics.h"
#include "gpu/fixture.h"
#include "predict/theoretical_roofs.h"
#include "profiler/roofs.h"

#include <chrono>

namespace warptune::test {
namespace {

TimedWork clearing(const DeviceMemory& memory, std::size_t bytes) {
  const auto run = [&memory, bytes](CUstream stream) {
    return gpu_device().driver().cuMemsetD8Async(memory.get(), 1, bytes, stream);
  };
  return {run, {}, static_cast<std::int64_t>(bytes), 1};
}

TEST(DeviceTimer, timeGrowsWithTheWork) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  auto memory = DeviceMemory::allocate(device.driver(), std::size_t{1} << 29, "a test");
  ASSERT_TRUE(memory);
  std::vector<double> medians;
  for (const int log : {20, 25, 27, 29}) {
    auto timing = device.timer.measure(clearing(*memory, std::size_t{1} << log), {}, device.stream.get());
    ASSERT_TRUE(timing);
    std::printf("2^%d bytes: %.2f us [%.2f, %.2f], %zu samples, iqr %.2f %%, %.0f MHz\n", log, timing->median_us,
                timing->ci_low_us, timing->ci_high_us, timing->samples_us.size(), 100 * timing->rel_iqr,
                timing->sm_clock_mhz);
    EXPECT_TRUE(timing->complete);
    EXPECT_LE(timing->sm_clock_min_mhz, timing->sm_clock_mhz);
    EXPECT_LE(timing->ci_low_us, timing->median_us);
    EXPECT_LE(timing->median_us, timing->ci_high_us);
    medians.push_back(timing->median_us);
  }
  EXPECT_GT(medians[2], 2 * medians[1]);
  EXPECT_GT(medians[3], 3 * medians[2]);
  EXPECT_LT(medians[3], 5 * medians[2]);
}

TEST(DeviceTimer, warmDataInTheCacheIsFaster) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  const std::size_t bytes = static_cast<std::size_t>(device.info.limits.l2_bytes) / 8;
  auto memory = DeviceMemory::allocate(device.driver(), 2 * bytes, "a test");
  const TimedWork copy{[&](CUstream stream) {
                         return device.driver().cuMemcpyDtoDAsync(memory->get() + bytes, memory->get(), bytes, stream);
                       },
                       {},
                       static_cast<std::int64_t>(bytes),
                       1};
  MeasureOptions options;
  auto cold = device.timer.measure(copy, options, device.stream.get());
  options.cold_l2 = false;
  auto warm = device.timer.measure(copy, options, device.stream.get());
  ASSERT_TRUE(cold && warm);
  std::printf("copy of %zu bytes: cold %.2f us, warm %.2f us\n", bytes, cold->median_us, warm->median_us);
  EXPECT_LT(warm->median_us, cold->median_us);
  EXPECT_FALSE(warm->cold_l2);
}

TEST(DeviceTimer, racingDropsWhatCannotWin) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  auto memory = DeviceMemory::allocate(device.driver(), std::size_t{1} << 27, "a test");
  MeasureOptions options;
  options.drop_above_us = 1;
  auto timing = device.timer.measure(clearing(*memory, memory->bytes()), options, device.stream.get());
  ASSERT_TRUE(timing);
  EXPECT_FALSE(timing->complete);
  EXPECT_LE(timing->samples_us.size(), 7U);
}

TEST(DeviceTimer, idlingIsNotTimed) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  auto memory = DeviceMemory::allocate(device.driver(), std::size_t{1} << 27, "a test");
  const TimedWork work = clearing(*memory, memory->bytes());
  const std::vector<const TimedWork*> works(16, &work);
  const std::vector<float> idle(works.size(), 2000.0f);
  auto alone = device.timer.sample_each(works, true, device.stream.get());
  auto apart = device.timer.sample_each(works, true, device.stream.get(), idle);
  ASSERT_TRUE(alone && apart);
  std::printf("%.2f us, with idling %.2f us\n", median(*alone), median(*apart));
  EXPECT_LT(median(*apart), 2 * median(*alone));
}

TEST(DeviceTimer, settlingIsNotTimed) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  auto memory = DeviceMemory::allocate(device.driver(), std::size_t{1} << 27, "a test");
  const TimedWork work = clearing(*memory, memory->bytes());
  MeasureOptions options;
  auto at_once = device.timer.measure(work, options, device.stream.get());
  options.settle_ms = 100;
  const auto begin = std::chrono::steady_clock::now();
  auto settled = device.timer.measure(work, options, device.stream.get());
  ASSERT_TRUE(at_once && settled);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(100));
  EXPECT_LT(settled->median_us, 2 * at_once->median_us);
}

TEST(DeviceTimer, restoringIsNotTimed) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  auto memory = DeviceMemory::allocate(device.driver(), std::size_t{1} << 29, "a test");
  TimedWork work = clearing(*memory, 1 << 20);
  auto alone = device.timer.measure(work, {}, device.stream.get());
  work.restore = clearing(*memory, memory->bytes()).run;
  auto restored = device.timer.measure(work, {}, device.stream.get());
  ASSERT_TRUE(alone && restored);
  EXPECT_LT(restored->median_us, 3 * alone->median_us);
}

TEST(MeasuredRoofs, areMeasuredAndPlausible) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  auto measured = measure_roofs(device.driver(), device.provider, device.info, device.timer, device.stream.get());
  ASSERT_TRUE(measured) << measured.error().message;
  for (const RoofTrial& trial : measured->trials)
    std::printf("%-28s %10.1f %10.1f us %6.0f MHz\n", trial.what.c_str(), trial.rate, trial.us, trial.sm_clock_mhz);
  const Roofs& roofs = measured->roofs;
  EXPECT_TRUE(roofs.measured);
  EXPECT_EQ(roofs.driver, device.info.driver);
  const Roofs theory = theoretical_roofs(device.info);
  for (const RoofName& roof : roof_names()) {
    SCOPED_TRACE(roof.label);
    const double rate = roofs.*roof.member, limit = theory.*roof.member;
    std::printf("%-16s %10.1f of %10.1f %s\n", roof.label, rate, limit, roof.unit);
    if (device.info.arch == "sm_90a") {
      EXPECT_GT(rate, 0);
    }
    if (limit > 0) {
      EXPECT_LE(rate, 1.05 * limit) << "more than the hardware can do: work was left out";
    }
    if (rate > 0 && limit > 0) {
      EXPECT_GT(rate, 0.3 * limit) << "not what the hardware can do";
    }
  }
  EXPECT_LT(roofs.dram_read_gbs / roofs.dram_copy_gbs, 1.5);
  EXPECT_GT(roofs.l2_gbs, roofs.dram_read_gbs);
  EXPECT_GT(roofs.shared_gbs, roofs.l2_gbs);
  EXPECT_GT(roofs.fp32_tflops, roofs.fp64_tflops * 0.9);
  EXPECT_GT(roofs.fp16_tflops, roofs.fp32_tflops * 0.5);
  if (device.info.arch == "sm_90a") {
    EXPECT_GT(roofs.tensor_tflops, 8 * roofs.fp32_tflops);
    EXPECT_NEAR(roofs.tensor_fp16_tflops / roofs.tensor_tflops, 1, 0.15);
    EXPECT_LT(roofs.tensor_tf32_tflops, 0.7 * roofs.tensor_tflops);
    EXPECT_GT(roofs.tensor_fp8_tflops, 1.5 * roofs.tensor_tflops);
    EXPECT_GT(roofs.tensor_int8_tflops, 1.5 * roofs.tensor_tflops);
    EXPECT_GT(roofs.tensor_fp64_tflops, 1.3 * roofs.fp64_tflops);
  }
}

} // namespace
} // namespace warptune::test
