// Executed counts of kernels with known accesses, through the real CUPTI. Each test needs its own process, because
// CUPTI counts only once in a process.
#include "gpu/watched_kernels.h"
#include "profiler/sass_counter.h"

#include <gmock/gmock.h>
#include <optional>

namespace warptune::test {
namespace {

// Executions of the cubin by instruction; empty if this machine cannot count.
struct SassCounterTest : WatchedKernels {
  std::optional<PcSamples> count(const std::string& name, bool loaded_before = false) {
    if (loaded_before) load();
    const auto begin = std::chrono::steady_clock::now();
    auto counter = SassCounter::open(gpu_device().driver());
    if (!counter) {
      std::printf("%s\n", counter.error().message.c_str());
      return std::nullopt;
    }
    if (!loaded_before) load();
    auto counted = counter->count(work(name), cubin_, stream());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(counted) << counted.error().message;
    if (!counted) return std::nullopt;
    EXPECT_TRUE(find_source_lines(*counted, cubin_));
    std::printf("%s: %.1f ms, %zu instructions; missing: %s\n", name.c_str(), took.count(),
                counted->instructions.size(), counted->no_counts.c_str());
    for (const InstructionSamples& at : counted->instructions) {
      std::printf("  %s+0x%llx :%lld", at.function.c_str(), static_cast<unsigned long long>(at.offset),
                  static_cast<long long>(at.line));
      for_each_member<InstructionCounts>(
          [&](const auto& m) { std::printf(" %s %lld", m.name, static_cast<long long>(at.counts.*m.at)); });
      std::printf("\n");
    }
    return std::move(*counted);
  }
  static InstructionCounts at_line(const PcSamples& counted, std::int64_t line) {
    InstructionCounts sum;
    for (const InstructionSamples& at : counted.instructions)
      if (at.line == line) sum += at.counts;
    return sum;
  }
};

struct CountedKernel : SassCounterTest, ::testing::WithParamInterface<const char*> {};

TEST_P(CountedKernel, AgreesWithTheCounterOfInstructions) {
  const auto counted = count(GetParam());
  if (!counted) GTEST_SKIP();
  InstructionCounts all;
  for (const InstructionSamples& at : counted->instructions) {
    EXPECT_EQ(at.function, GetParam());
    all += at.counts;
  }
  CudaDevice& device = gpu_device();
  auto counters = make_counter_source(device.driver(), device.provider, device.info.limits);
  ASSERT_TRUE(counters->why_not().empty()) << counters->why_not();
  const std::vector<std::string> metrics = {"smsp__inst_executed.sum"};
  const auto values = counters->collect(std::vector<ProfiledWork>{work(GetParam())}, metrics, true, stream());
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(static_cast<double>(all.executed), values->front().at(metrics.front()));
  counters->release();
}
INSTANTIATE_TEST_SUITE_P(, CountedKernel, ::testing::Values("busy", "conflicts"),
                         [](const auto& each) { return each.param; });

TEST_F(SassCounterTest, FindsConflictsAtTheirLine) {
  const auto counted = count("conflicts");
  if (!counted) GTEST_SKIP();
  const InstructionCounts shared = at_line(*counted, marked_line("conflicts"));
  EXPECT_GT(shared.ideal_wavefronts, 0);
  EXPECT_EQ(shared.wavefronts, 32 * shared.ideal_wavefronts) << "all threads of a warp read one bank";
  EXPECT_EQ(shared.sectors, 0);
}

TEST_F(SassCounterTest, FindsUncoalescedAccessesAtTheirLine) {
  const auto counted = count("uncoalesced");
  if (!counted) GTEST_SKIP();
  const InstructionCounts global = at_line(*counted, marked_line("uncoalesced"));
  EXPECT_EQ(global.sectors, 8 * global.ideal_sectors) << "32 sectors for 128 bytes";
  EXPECT_EQ(global.wavefronts, 0);
}

TEST_F(SassCounterTest, ASecondCountOfTheProcessIsRefused) {
  if (!count("busy")) GTEST_SKIP();
  const auto again = SassCounter::open(gpu_device().driver());
  if (again) GTEST_SKIP() << "this CUPTI can count again: the tests need no processes of their own";
  EXPECT_THAT(again.error().message, ::testing::HasSubstr("only one run in a process"));
}

TEST_F(SassCounterTest, CountsKernelsThatWereLoadedBefore) {
  const auto counted = count("busy", true);
  if (!counted) GTEST_SKIP();
  EXPECT_GT(at_line(*counted, marked_line("busy")).executed, 0);
}

// Samples and counts have the same kind of offsets, and sampling works after counting.
TEST_F(SassCounterTest, WhatWasSampledWasExecuted) {
  const auto counted = count("busy");
  if (!counted) GTEST_SKIP();
  auto sampler = open_sampler();
  ASSERT_TRUE(sampler) << sampler.error().message;
  PcSamples samples = sample(*sampler, "busy");
  add_counts(samples, *counted);
  EXPECT_EQ(samples.no_counts, counted->no_counts);
  for (const InstructionSamples& at : samples.instructions)
    if (!at.stalls.empty()) {
      EXPECT_GT(at.counts.executed, 0) << at.offset;
    }
}

} // namespace
} // namespace warptune::test
