#include "core/device_readings.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

TEST(DeviceReadings, APowerCapIsNoFaultAndHeatIs) {
  EXPECT_TRUE(is_at_power_cap(0x4));
  EXPECT_EQ(fault_reasons(0x4), 0U);
  for (const std::uint64_t fault : {0x8U, 0x20U, 0x40U, 0x80U}) {
    EXPECT_FALSE(is_at_power_cap(fault));
    EXPECT_EQ(fault_reasons(fault | 0x4 | 0x1), fault) << "whatever else slows it";
  }
  EXPECT_EQ(fault_reasons(0x1 | 0x2 | 0x10 | 0x100), 0U) << "idle clocks and settings";
}

TEST(DeviceReadings, AStepOfTheClockIs15MHz) {
  EXPECT_DOUBLE_EQ(clock_step_share(1500), 0.01);
  EXPECT_EQ(clock_step_share(0), 0) << "not known";
}

} // namespace
} // namespace warptune
