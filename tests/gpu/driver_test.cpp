// The driver, its handles and their properties.
#include "gpu/devices.h"
#include "gpu/fixture.h"
#include "gpu/nvml.h"

#include <cstring>

namespace warptune::test {
namespace {

TEST(Driver, listsDevicesWithTheirLimits) {
  WT_REQUIRE_GPU();
  auto devices = list_cuda_devices();
  ASSERT_TRUE(devices) << devices.error().message;
  ASSERT_FALSE(devices->empty());
  for (const DeviceInfo& device : *devices) {
    std::printf("%s %s %s driver %s, %lld SMs, L2 %lld\n", device.name.c_str(), device.arch.c_str(),
                device.uuid.c_str(), device.driver.c_str(), static_cast<long long>(device.limits.sm_count),
                static_cast<long long>(device.limits.l2_bytes));
    EXPECT_TRUE(device.arch.starts_with("sm_"));
    EXPECT_EQ(device.uuid.size(), 40U);
    EXPECT_GT(device.limits.sm_count, 0);
    EXPECT_GE(device.limits.max_shared_per_block, 48 * 1024);
    EXPECT_GT(device.memory_bytes, 1 << 30);
    if (device.limits.compute_capability == 90) {
      EXPECT_EQ(device.arch, "sm_90a");
      EXPECT_EQ(device.limits.max_shared_per_block, 232448);
    }
  }
}

TEST(Driver, namesTheDevicesThatExist) {
  WT_REQUIRE_GPU();
  auto missing = Context::open(97);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::no_device);
  EXPECT_NE(missing.error().message.find("no device cuda:97"), std::string::npos) << missing.error().message;
  EXPECT_NE(missing.error().message.find("cuda:0"), std::string::npos) << missing.error().message;
}

TEST(Driver, saysHowMuchMemoryIsMissing) {
  WT_REQUIRE_GPU();
  const Driver& driver = gpu_device().driver();
  auto memory = DeviceMemory::allocate(driver, std::size_t{1} << 50, "the buffer x of test");
  ASSERT_FALSE(memory);
  EXPECT_NE(memory.error().message.find("GPU out of memory: the buffer x of test needs 1024.0 TiB"), std::string::npos)
      << memory.error().message;
  EXPECT_TRUE(DeviceMemory::allocate(driver, 1 << 20, "x")) << "the device is usable afterwards";
  EXPECT_TRUE(DeviceMemory::allocate(driver, 0, "x"));
}

TEST(Driver, readsClockTemperatureAndPower) {
  WT_REQUIRE_GPU();
  auto nvml = NvmlDevice::find(gpu_device().info.uuid);
  if (!nvml) GTEST_SKIP() << "no NVML for this device";
  const DeviceReadings readings = nvml->read();
  std::printf("%.0f MHz, %.0f C, %.1f W, reasons %llx\n", readings.sm_clock_mhz, readings.temperature_c,
              readings.power_w, static_cast<unsigned long long>(readings.throttle_reasons));
  EXPECT_GT(readings.sm_clock_mhz, 0);
  EXPECT_GT(readings.power_w, 0);
}

TEST(Driver, mapsPinnedMemory) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  auto pinned = PinnedMemory::allocate(device.driver(), 64);
  ASSERT_TRUE(pinned) << pinned.error().message;
  ASSERT_EQ(device.driver().cuMemsetD8Async(pinned->device(), 0x5A, 64, device.stream.get()), CUDA_SUCCESS);
  ASSERT_EQ(device.driver().cuStreamSynchronize(device.stream.get()), CUDA_SUCCESS);
  EXPECT_EQ(static_cast<unsigned char*>(pinned->host())[63], 0x5A);
}

} // namespace
} // namespace warptune::test
