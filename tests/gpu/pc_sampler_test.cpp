// Samples of kernels with a known hot line, through the real CUPTI.
#include "gpu/watched_kernels.h"

#include <map>

namespace warptune::test {
namespace {

using PcSamplerTest = WatchedKernels;

struct Share {
  double at_line = 0;                    // share of all samples
  std::map<std::string, double> reasons; // shares of the samples at the line
};
Share share_at(const PcSamples& samples, std::int64_t line) {
  Share share;
  double all = 0, here = 0;
  for (const InstructionSamples& at : samples.instructions) {
    all += static_cast<double>(total(at.stalls));
    if (at.line != line) continue;
    here += static_cast<double>(total(at.stalls));
    for (const auto& [reason, count] : at.stalls) share.reasons[reason] += static_cast<double>(count);
  }
  if (all > 0) share.at_line = here / all;
  for (auto& [reason, count] : share.reasons) count /= here;
  return share;
}

TEST_F(PcSamplerTest, FindsTheHotLineAndWhatItWaitsFor) {
  auto sampler = open_sampler();
  if (!sampler) GTEST_SKIP() << sampler.error().message;
  load();
  const Share loads = share_at(sample(*sampler, "uncoalesced"), marked_line("uncoalesced"));
  EXPECT_GT(loads.at_line, 0.7);
  EXPECT_GT(loads.reasons.contains("long_scoreboard") ? loads.reasons.at("long_scoreboard") : 0, 0.2);
  const Share conflicts = share_at(sample(*sampler, "conflicts"), marked_line("conflicts"));
  EXPECT_GT(conflicts.at_line, 0.7);
  double shared = 0;
  for (const char* reason : {"short_scoreboard", "mio_throttle"})
    if (conflicts.reasons.contains(reason)) shared += conflicts.reasons.at(reason);
  EXPECT_GT(shared, 0.5);
  const Share busy = share_at(sample(*sampler, "busy"), marked_line("busy"));
  EXPECT_GT(busy.at_line, 0.7);
  EXPECT_GT(busy.reasons.contains("selected") ? busy.reasons.at("selected") : 0, 0.05);
}

TEST_F(PcSamplerTest, KeepsOnlyTheCubinAsked) {
  auto sampler = open_sampler();
  if (!sampler) GTEST_SKIP() << sampler.error().message;
  load();
  for (const InstructionSamples& at : sample(*sampler, "busy").instructions) EXPECT_EQ(at.function, "busy");
  const auto none = sampler->sample(work("busy"), "another cubin", {}, true, stream());
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_TRUE(none->instructions.empty());
}

// The number of samples matches the clock and the period, at every period that sampling_plan chooses.
TEST_F(PcSamplerTest, SamplesAtThePeriodAsked) {
  auto sampler = open_sampler();
  if (!sampler) GTEST_SKIP() << sampler.error().message;
  load();
  std::int64_t before = 0;
  for (const int period : {12, 11, 10, 9}) {
    const PcSamples samples = sample(*sampler, "busy", {4, period});
    EXPECT_EQ(samples.dropped, 0) << period;
    std::int64_t all = 0;
    for (const InstructionSamples& at : samples.instructions) all += total(at.stalls);
    std::printf("period 2^%d: %lld samples\n", period, static_cast<long long>(all));
    if (before > 0) {
      EXPECT_NEAR(static_cast<double>(all) / static_cast<double>(before), 2, 0.3);
    }
    before = all;
  }
}

TEST_F(PcSamplerTest, SamplesKernelsThatWereLoadedBefore) {
  load();
  auto sampler = open_sampler();
  if (!sampler) GTEST_SKIP() << sampler.error().message;
  EXPECT_GT(share_at(sample(*sampler, "busy"), marked_line("busy")).at_line, 0.7);
}

TEST_F(PcSamplerTest, CountersWorkAfterwards) {
  load();
  {
    auto sampler = open_sampler();
    if (!sampler) GTEST_SKIP() << sampler.error().message;
    sample(*sampler, "busy");
  }
  CudaDevice& device = gpu_device();
  auto counters = make_counter_source(device.driver(), device.provider, device.info.limits);
  ASSERT_TRUE(counters->why_not().empty()) << counters->why_not();
  const auto metrics = counters->resolve("lean", DType::fp32).value();
  const auto counted = counters->collect(std::vector<ProfiledWork>{work("busy")}, metrics, true, stream());
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_GT(counted->front().at("smsp__inst_executed.sum"), 1e6);
  counters->release();
  auto again = open_sampler();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_GT(share_at(sample(*again, "busy"), marked_line("busy")).at_line, 0.7);
}

} // namespace
} // namespace warptune::test
