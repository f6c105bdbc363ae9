// Power readings from a trace of the energy counter.
#include "profiler/power_meter.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

// A step every 0.1 s: 120 W (idle) in the first, 600 W after it.
EnergyTrace trace() {
  EnergyTrace t;
  double mj = 5000;
  for (int i = 1; i <= 7; ++i) t.changes.push_back({0.1 * i, mj += (i == 1 ? 12000 : 60000)});
  return t;
}

TEST(AverageWatts, CountsFromTheFirstChangeAfterTheDeviceSettled) {
  EXPECT_NEAR(average_watts(trace(), 0.2), 600, 1e-6);
  EXPECT_NEAR(counted_seconds(trace(), 0.15), 0.5, 1e-9);
  EXPECT_NEAR(average_watts(trace(), 0.15), 600, 1e-6);
}

TEST(LowestClock, IsOfTheReadingsOfOneTiming) {
  LowestClock clock;
  EXPECT_EQ(clock.or_latest(1980), 1980) << "the timing was too short for a reading of its own";
  for (const double mhz : {1755.0, 0.0, 1695.0, 1980.0}) clock.add(mhz);
  EXPECT_EQ(clock.or_latest(1980), 1695) << "0 is no reading";
}

TEST(AverageWatts, WhatACounterThatStandsStillSays) {
  EXPECT_EQ(average_watts({}, 0.2), 0);
  EXPECT_EQ(counted_seconds({}, 0.2), 0);
  EXPECT_EQ(average_watts(trace(), 0.65), 0) << "one change has no span";
  EXPECT_EQ(average_watts(trace(), 2), 0);
}

} // namespace
} // namespace warptune
