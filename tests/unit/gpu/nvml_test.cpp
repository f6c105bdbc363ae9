#include "gpu/nvml.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

TEST(ThrottleText, NamesWhatSlowsTheDevice) {
  EXPECT_EQ(throttle_text(0), "");
  EXPECT_EQ(throttle_text(0x4), "power cap");
  EXPECT_EQ(throttle_text(0x20), "heat");
  EXPECT_EQ(throttle_text(0x8 | 0x80), "hardware slowdown, power brake");
  EXPECT_EQ(throttle_text(0x4 | 0x20 | 0x40), "power cap, heat, heat (hardware)");
}

TEST(ThrottleText, IdleClocksAndSettingsAreNoThrottling) { EXPECT_EQ(throttle_text(0x1 | 0x2 | 0x10 | 0x100), ""); }

TEST(ThrottleText, BitsOfALaterDriverAreLeftOut) {
  EXPECT_EQ(throttle_text((std::uint64_t{1} << 40) | 0x4), "power cap");
}

} // namespace
} // namespace warptune
