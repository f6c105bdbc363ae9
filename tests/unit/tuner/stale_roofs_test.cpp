#include "tuner/stale_roofs.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

using namespace std::chrono;

constexpr sys_days kMeasured = sys_days(year(2026) / 2 / 10);

struct StaleRoofs : testing::Test {
  StaleRoofs() {
    device.driver = stored.driver = "580.159.04";
    stored.l2_gbs = 8700;
    stored.shared_gbs = 33000;
    stored.measured_at = "2026-02-10T23:59:59Z";
  }
  std::string after(days age) const { return why_stale(stored, device, kMeasured + age + hours(1)); }

  DeviceInfo device;
  Roofs stored;
};

TEST_F(StaleRoofs, AMonthIsAsGoodAsNew) {
  EXPECT_EQ(after(days(0)), "");
  EXPECT_EQ(after(kRoofsAge), "");
  EXPECT_EQ(after(days(31)), "are 31 days old") << "over the end of February";
  EXPECT_EQ(after(days(-400)), "") << "a clock that was set back is no reason";
}

TEST_F(StaleRoofs, AnotherDriver) {
  device.driver = "590.1";
  EXPECT_EQ(after(days(0)), "were measured under driver 580.159.04, and the driver is now 590.1");
}

TEST_F(StaleRoofs, AnOlderVersionMeasuredFewer) {
  Roofs old = stored;
  old.driver.clear();
  EXPECT_NE(why_stale(old, device, kMeasured).find("older version"), std::string::npos);
  stored.shared_gbs = 0;
  EXPECT_NE(after(days(0)).find("older version"), std::string::npos);
  device.backend = "opencl";
  EXPECT_EQ(after(days(0)), "") << "of such a device no more is ever measured";
}

TEST_F(StaleRoofs, ADateThatIsNone) {
  for (const char* text : {"", "yesterday!", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "20x6-02-10T00:00:00Z"}) {
    stored.measured_at = text;
    EXPECT_EQ(after(days(0)), "have no date") << text;
  }
}

} // namespace
} // namespace warptune
