#include "predict/counted_demand.h"

#include <cmath>
#include <gtest/gtest.h>

namespace warptune {
namespace {

const CostEstimate kMultiply{3e6, 1e6, {{"fp32", 2e9}}}, kCopy{4e6, 4e6, {}};

CounterFacts counted() {
  CounterFacts facts;
  facts.dram_read_bytes = 7e6;
  facts.dram_written_bytes = 1e6;
  facts.l2_bytes = 4e8;
  facts.l1_bytes = 1e9;
  facts.shared_bytes = 3e9;
  facts.instructions = 1e8;
  facts.warps_active_share = 0.25;
  return facts;
}

DeviceInfo device() {
  DeviceInfo d;
  d.limits.sm_count = 100;
  d.max_sm_clock_mhz = 1000;
  d.roofs.dram_copy_gbs = 1000;
  d.roofs.l2_gbs = 4000;
  d.roofs.shared_gbs = 20000;
  d.roofs.fp32_tflops = 20;
  return d;
}

TEST(CountedDemand, IsPerByteOfTheCallerAndPerOperation) {
  const auto d = counted_demand(counted(), kMultiply);
  ASSERT_TRUE(d);
  EXPECT_DOUBLE_EQ(d->dram_bytes, 2);
  EXPECT_DOUBLE_EQ(d->l2_bytes, 0.2);
  EXPECT_DOUBLE_EQ(d->l1_bytes, 2) << "shared memory is in it";
  EXPECT_DOUBLE_EQ(d->instructions, 0.05);
  EXPECT_DOUBLE_EQ(d->warps_active, 0.25);
  EXPECT_DOUBLE_EQ(counted_demand(counted(), kCopy)->instructions, 12.5) << "without operations: per byte";
}

TEST(CountedDemand, OfNothingIsNothing) {
  EXPECT_FALSE(counted_demand({}, kCopy));
  EXPECT_FALSE(counted_demand(counted(), {})) << "a cost that names nothing";
  CounterFacts some;
  some.dram_read_bytes = 1;
  EXPECT_FALSE(counted_demand(some, kCopy)) << "half of the traffic is no traffic";
  some.instructions = 8e6;
  const auto d = counted_demand(some, kCopy);
  ASSERT_TRUE(d);
  EXPECT_TRUE(std::isnan(d->dram_bytes));
  EXPECT_DOUBLE_EQ(d->instructions, 1);
}

TEST(UnitTimes, OfALargerProblemByHand) {
  const CostEstimate eight_times{3e6 * 4, 1e6 * 4, {{"fp32", 2e9 * 8}}};
  const UnitTimes t = unit_times(*counted_demand(counted(), kMultiply), eight_times, device());
  EXPECT_DOUBLE_EQ(t.us[0], 4 * 8.0) << "8e6 bytes at 1e6 a microsecond, four times as many";
  EXPECT_DOUBLE_EQ(t.us[1], 8 * 100.0);
  EXPECT_DOUBLE_EQ(t.us[2], 8 * 200.0);
  EXPECT_DOUBLE_EQ(t.us[3], 8 * 250.0) << "1e8 warp instructions, 4e5 a microsecond";
  EXPECT_DOUBLE_EQ(t.slowest_us, 2000);
  CountedDemand light = *counted_demand(counted(), kMultiply);
  light.l1_bytes = light.l2_bytes = light.instructions = 0;
  EXPECT_DOUBLE_EQ(unit_times(light, eight_times, device()).slowest_us, 800) << "the pipe of the operations";
}

TEST(UnitTimes, WhatIsNotKnownLimitsNothing) {
  DeviceInfo blind = device();
  blind.max_sm_clock_mhz = 0;
  blind.roofs.l2_gbs = 0;
  const UnitTimes t = unit_times(*counted_demand(counted(), kMultiply), kMultiply, blind);
  EXPECT_TRUE(std::isnan(t.us[1]) && std::isnan(t.us[3]));
  EXPECT_DOUBLE_EQ(t.slowest_us, 200);
}

} // namespace
} // namespace warptune
