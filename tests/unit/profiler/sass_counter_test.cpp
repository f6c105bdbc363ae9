// The calls to CUPTI that count executed instructions, and the counts from its records. With a fake CUPTI; counting
// itself is tested on a GPU.
#include "profiler/sass_counter.h"
#include "support/fake_cupti.h"

#include <cstdio>
#include <gmock/gmock.h>
#include <unistd.h>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kExecuted = "smsp__sass_inst_executed";
constexpr const char* kThreads = "smsp__sass_thread_inst_executed_pred_on";
constexpr const char* kSectors = "smsp__sass_sectors_mem_global";
constexpr const char* kIdealSectors = "smsp__sass_sectors_mem_global_ideal";
constexpr const char* kWavefronts = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared";
constexpr const char* kIdealWavefronts = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal";

// A load with 8 sectors instead of 4, a load of shared memory with conflicts, one that was never executed, and an
// instruction of another cubin.
struct SassCounting : testing::Test {
  SassCounting() {
    gpu.metrics = {kIdealSectors, kExecuted, "other", kWavefronts, kThreads, kSectors, kIdealWavefronts};
    gpu.records = {{7, "scale", 32, {{kExecuted, 10}, {kThreads, 320}, {kWavefronts, 80}, {kIdealWavefronts, 10}}},
                   {7, "scale", 16, {{kExecuted, 10}, {kThreads, 310}, {kSectors, 80}, {kIdealSectors, 40}}},
                   {7, "scale", 48, {}},
                   {3, "fill", 16, {{kExecuted, 99}}}};
  }
  Result<SassCounter> open() { return SassCounter::open(driver, cupti); }
  Result<PcSamples> count(SassCounter& counter) { return counter.count(work, "cubin", nullptr); }

  test::FakeGpu gpu;
  const Driver driver = test::fake_driver();
  CuptiLibrary cupti = test::fake_sass_metrics();
  CUresult launched = CUDA_SUCCESS;
  const ProfiledWork work = {[this](CUstream) {
                               gpu.call("launch");
                               return launched;
                             },
                             [this](CUstream) {
                               gpu.call("prepare");
                               return CUDA_SUCCESS;
                             }};
};

TEST_F(SassCounting, EachInstructionOfTheCubinHasItsCounts) {
  for (const bool of_all : {true, false}) { // CUPTI may mean either
    gpu.instances_of_all = of_all;
    auto counter = open();
    ASSERT_TRUE(counter) << counter.error().message;
    const auto counted = count(*counter);
    ASSERT_TRUE(counted) << counted.error().message;
    ASSERT_EQ(counted->instructions.size(), 2U);
    const InstructionSamples &global = counted->instructions[0], &shared = counted->instructions[1];
    EXPECT_EQ(global.function, "scale");
    EXPECT_EQ(global.offset, 16);
    EXPECT_EQ(global.counts, (InstructionCounts{10, 310, 80, 40, 0, 0}));
    EXPECT_EQ(shared.offset, 32);
    EXPECT_EQ(shared.counts, (InstructionCounts{10, 320, 0, 0, 80, 10}));
    EXPECT_TRUE(global.stalls.empty());
    EXPECT_EQ(counted->source, "CUPTI 13.0");
    EXPECT_EQ(counted->no_counts, "");
  }
}

// Preparing the launch also runs kernels, which must not be patched, and Disable drops the counts.
TEST_F(SassCounting, OnlyTheWorkIsLaunchedBetweenEnableAndTheData) {
  {
    auto counter = open();
    ASSERT_TRUE(count(*counter));
  }
  std::vector<std::string> calls;
  for (const std::string& call : gpu.calls)
    if (call != "SassGetProperties" && call != "GetCubinCrc" && call != "cuEventDestroy") calls.push_back(call);
  EXPECT_THAT(calls, ElementsAre("ProfilerInitialize", "GetChipName", "SassSetConfig", "prepare", "SassEnable",
                                 "launch", "SassGetDataProperties", "SassFlushData", "SassDisable", "SassUnsetConfig"));
}

// Chips without the sum of a metric have its parts.
TEST_F(SassCounting, OtherChipsHaveOtherMetrics) {
  gpu.metrics = {kExecuted,
                 kThreads,
                 kSectors,
                 "smsp__sass_sectors_mem_global_op_ld_ideal",
                 "smsp__sass_sectors_mem_global_op_st_ideal",
                 "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared"};
  gpu.records = {{7,
                  "scale",
                  0,
                  {{kExecuted, 1},
                   {"smsp__sass_sectors_mem_global_op_ld_ideal", 3},
                   {"smsp__sass_sectors_mem_global_op_st_ideal", 5},
                   {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared", 7}}}};
  auto counter = open();
  ASSERT_TRUE(counter) << counter.error().message;
  const auto counted = count(*counter);
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->instructions.at(0).counts, (InstructionCounts{1, 0, 0, 8, 7, 0}));
  EXPECT_EQ(counted->no_counts, "CUPTI 13.0 has no metrics for ideal wavefronts on this device");
}

TEST_F(SassCounting, WhatIsMissingIsSaid) {
  gpu.fails = {{"SassSetConfig", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES}};
  EXPECT_THAT(open().error().message, HasSubstr("the driver restricts hardware counters to administrators"));
  gpu.fails.clear();
  gpu.metrics = {kSectors};
  EXPECT_THAT(open().error().message, HasSubstr("cannot count executed instructions"));
  gpu.is_supported = false;
  EXPECT_THAT(open().error().message, HasSubstr("because of its architecture"));
  cupti.cuptiSassMetricsFlushData = nullptr;
  const auto old = open();
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().kind, ErrorKind::no_device);
  EXPECT_THAT(old.error().message, HasSubstr("CUPTI 13.0 has no SASS metrics; install a newer CUDA Toolkit"));
  EXPECT_FALSE(gpu.called("SassUnsetConfig")) << "nothing was configured";
}

// Like the real CUPTI 13.0.
TEST_F(SassCounting, OnlyOnceInAProcess) {
  ASSERT_TRUE(open());
  gpu.fails = {{"SassSetConfig", CUPTI_ERROR_OUT_OF_MEMORY}};
  const auto again = open();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::no_device);
  EXPECT_THAT(again.error().message, HasSubstr("counts the instructions of only one run in a process"));
}

TEST_F(SassCounting, ACubinThatIsNotPatchedIsAnError) {
  gpu.records = {{3, "fill", 16, {{kExecuted, 99}}}};
  auto counter = open();
  EXPECT_THAT(count(*counter).error().message, HasSubstr("counted no instruction of this kernel"));
  gpu.records.clear();
  EXPECT_THAT(count(*counter).error().message, HasSubstr("counted no instruction of this kernel"));
  EXPECT_EQ(gpu.count("SassFlushData"), 1) << "there was nothing to read";
}

TEST_F(SassCounting, PatchingEndsAfterEveryError) {
  for (const char* failing : {"SassEnable", "SassGetDataProperties", "SassFlushData", "launch"}) {
    gpu.calls.clear();
    gpu.fails = {{failing, CUPTI_ERROR_UNKNOWN}};
    launched = std::string(failing) == "launch" ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
    {
      auto counter = open();
      const auto counted = count(*counter);
      ASSERT_FALSE(counted) << failing;
      EXPECT_EQ(counted.error().kind, launched == CUDA_SUCCESS ? ErrorKind::no_device : ErrorKind::internal);
    }
    EXPECT_EQ(gpu.called("SassDisable"), std::string(failing) != "SassEnable") << failing;
    EXPECT_EQ(gpu.calls.back(), "cuEventDestroy") << failing;
    EXPECT_EQ(gpu.count("SassUnsetConfig"), 1) << failing;
  }
}

// Every release would wait for the kernel. In its own process, because everything is leaked.
using SassCountingDeathTest = SassCounting;
TEST_F(SassCountingDeathTest, NothingIsReleasedWhileAKernelStillRuns) {
  const auto use_and_leave = [&] {
    {
      auto counter = open();
      counter->deadline_s = 0;
      gpu.event_status = CUDA_ERROR_NOT_READY;
      if (count(*counter) || counter->run_status() != CUDA_ERROR_NOT_READY) _exit(1);
    }
    for (const char* call : {"SassDisable", "SassUnsetConfig", "cuEventDestroy"})
      if (gpu.called(call)) std::fprintf(stderr, "%s ", call);
    std::fputs("left", stderr);
    _exit(0);
  };
  EXPECT_EXIT(use_and_leave(), testing::ExitedWithCode(0), "^left$");
}

InstructionSamples instruction(const char* function, std::int64_t offset, std::int64_t samples, std::int64_t executed) {
  InstructionSamples at{function, offset, "kernel.cu", 3, {}, {}, {}};
  if (samples > 0) at.stalls = {{"wait", samples}};
  at.counts.executed = executed;
  return at;
}

TEST(AddCounts, JoinsSamplesAndCountsByPlace) {
  PcSamples samples, counted;
  samples.instructions = {instruction("a", 16, 5, 0), instruction("b", 0, 7, 0)};
  counted.instructions = {instruction("a", 0, 0, 30), instruction("a", 16, 0, 20)};
  counted.no_counts = "no ideal sectors";
  add_counts(samples, counted);
  ASSERT_EQ(samples.instructions.size(), 3U);
  EXPECT_EQ(samples.instructions[0].offset, 0);
  EXPECT_EQ(samples.instructions[0].counts.executed, 30);
  EXPECT_TRUE(samples.instructions[0].stalls.empty());
  EXPECT_EQ(samples.instructions[1].counts.executed, 20);
  EXPECT_EQ(samples.instructions[1].stalls, (StallCounts{{"wait", 5}}));
  EXPECT_EQ(samples.instructions[2].function, "b");
  EXPECT_EQ(samples.no_counts,
            "no ideal sectors; CUPTI counted no instruction of b, although samples were taken there");
}

} // namespace
} // namespace warptune
