// Energy from the device's own counter. Compares readings with one another and with the board's power limit.
#include "gpu/fixture.h"
#include "profiler/power_meter.h"

namespace warptune::test {
namespace {

class PowerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    WT_REQUIRE_GPU();
    nvml_ = NvmlDevice::find(gpu_device().info.uuid);
    if (!nvml_ || !nvml_->energy_mj()) GTEST_SKIP() << "this device does not count energy";
    memory_ = DeviceMemory::allocate(gpu_device().driver(), kBytes, "a test").value();
  }
  TimedWork copy(std::size_t bytes) const {
    return {[this, bytes](CUstream stream) {
      return gpu_device().driver().cuMemcpyDtoDAsync(memory_.get() + kBytes / 2, memory_.get(), bytes, stream);
    }};
  }
  PowerReading measure(const TimedWork& work, const char* what) const {
    PowerMeter meter(gpu_device().driver(), *nvml_);
    const PowerReading r = meter.measure(work, 0.8, gpu_device().stream.get()).value();
    std::printf("%-16s %.4f mJ a launch, %.1f W, %.0f MHz, %.0f C, %ld launches, %.0f ms, %s\n", what, r.energy_mj,
                r.average_w, r.sm_clock_mhz, r.temperature_c, static_cast<long>(r.launches), r.window_ms,
                throttle_text(r.throttle_reasons).c_str());
    return r;
  }

  static constexpr std::size_t kBytes = std::size_t{1} << 30;
  std::optional<NvmlDevice> nvml_;
  DeviceMemory memory_;
};

TEST_F(PowerTest, aLongCopyDrawsMoreThanAlmostNothingAndLessThanTheLimit) {
  const PowerReading small = measure(copy(256), "copy of 256 B"), one = measure(copy(kBytes / 2), "copy");
  EXPECT_GT(one.average_w, 1.5 * small.average_w);
  EXPECT_GT(small.average_w, 20);
  const auto limit = nvml_->power_limit_w();
  ASSERT_TRUE(limit);
  EXPECT_LT(one.average_w, 1.05 * *limit);
  EXPECT_GT(one.sm_clock_mhz, 0);
  EXPECT_GE(one.window_ms, 700);
  EXPECT_LT(one.window_ms, 2000);
  const double us = gpu_device().timer.measure(copy(kBytes / 2), {}, gpu_device().stream.get()).value().median_us;
  EXPECT_NEAR(one.energy_mj, one.average_w * us / 1e3, 0.1 * one.energy_mj) << "by the time of a launch alone";
}

TEST_F(PowerTest, twoMeasurementsAgree) {
  const PowerReading a = measure(copy(kBytes / 2), "copy"), b = measure(copy(kBytes / 2), "copy again");
  EXPECT_NEAR(a.energy_mj, b.energy_mj, 0.05 * a.energy_mj);
}

TEST_F(PowerTest, restoringIsTakenOff) {
  const PowerReading alone = measure(copy(kBytes / 2), "copy");
  TimedWork work = copy(kBytes / 2);
  work.restore = copy(kBytes / 4).run;
  const PowerReading restored = measure(work, "copy, restored");
  EXPECT_NEAR(restored.energy_mj, alone.energy_mj, 0.1 * alone.energy_mj);
}

} // namespace
} // namespace warptune::test
