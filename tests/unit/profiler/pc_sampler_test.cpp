// How many launches are sampled and how often, and the names of stalls. Sampling itself is tested on a GPU.
#include "profiler/pc_sampler.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

// Samples that a plan takes of a kernel with `us` microseconds on 132 multiprocessors at 1980 MHz.
double samples_of(double us) {
  const SamplingPlan plan = sampling_plan(us, 132, 1980);
  return us * 1980 * 132 * plan.launches / static_cast<double>(std::int64_t{1} << plan.period_log2);
}

TEST(SamplingPlan, TakesEnoughSamplesAndNotTooMany) {
  for (const double us : {20.0, 137.0, 1e3, 2.7e3, 1e5, 1e7}) {
    EXPECT_GE(samples_of(us), 1e5) << us;
    EXPECT_LE(samples_of(us), 4e5) << us;
  }
}

TEST(SamplingPlan, KeepsItsLimits) {
  const SamplingPlan tiny = sampling_plan(2, 132, 1980);
  EXPECT_EQ(tiny.period_log2, 9);
  EXPECT_EQ(tiny.launches, 64);
  const SamplingPlan unknown = sampling_plan(100, 132, 0); // a clock that is not known
  EXPECT_GE(unknown.period_log2, 5);
  EXPECT_LE(unknown.launches, 64);
  const SamplingPlan endless = sampling_plan(1e12, 132, 1980);
  EXPECT_EQ(endless.period_log2, 31);
  EXPECT_EQ(endless.launches, 1);
}

TEST(StallReason, IsReadFromTheNameOfCupti) {
  const StallReason stalled = parse_stall_reason("smsp__pcsamp_warps_issue_stalled_long_scoreboard");
  EXPECT_EQ(stalled.name, "long_scoreboard");
  EXPECT_FALSE(stalled.not_issued);
  const StallReason latency = parse_stall_reason("smsp__pcsamp_warps_issue_stalled_wait_not_issued");
  EXPECT_EQ(latency.name, "wait");
  EXPECT_TRUE(latency.not_issued);
  EXPECT_EQ(parse_stall_reason("smsp__pcsamp_warps_issue_stalled_selected").name, "selected");
  EXPECT_EQ(parse_stall_reason("smsp__pcsamp_sample_buffer_full").name, "smsp__pcsamp_sample_buffer_full");
}

} // namespace
} // namespace warptune
