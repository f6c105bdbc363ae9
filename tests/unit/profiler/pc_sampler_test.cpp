// The number of sampled launches, the sampling period, the names of stalls, and the calls to a fake CUPTI. Sampling
// itself is tested on a GPU.
#include "profiler/pc_sampler.h"
#include "support/fake_cupti.h"

#include <cstdio>
#include <gmock/gmock.h>
#include <unistd.h>

namespace warptune {
namespace {

// The number of samples in a plan for a kernel of `us` microseconds on 132 multiprocessors at 1980 MHz.
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
  const SamplingPlan unknown = sampling_plan(100, 132, 0); // an unknown clock
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

using testing::ElementsAre;
using testing::HasSubstr;

// Two kernels of the requested cubin, and one of another cubin.
struct PcSampling : testing::Test {
  PcSampling() {
    gpu.reasons = {"smsp__pcsamp_warps_issue_stalled_wait", "smsp__pcsamp_warps_issue_stalled_wait_not_issued",
                   "smsp__pcsamp_warps_issue_stalled_selected"};
    gpu.pcs = {{7, "scale", 16, {5, 2, 0}},
               {3, "read_all", 16, {9, 9, 9}},
               {7, "scale", 16, {1, 0, 4}},
               {7, "sum", 0, {0, 0, 1}}};
    gpu.pcs_per_read = 2;
  }
  Result<PcSampler> open() { return PcSampler::open(driver, cupti, provider, h200_device().limits); }
  Result<PcSamples> sample(PcSampler& sampler, const SamplingPlan& plan = {2, 10}, bool cold_l2 = true) {
    return sampler.sample(work, "cubin", plan, cold_l2, nullptr);
  }
  // In the order of `gpu.calls`.
  std::vector<std::string> calls_of_sampling() const {
    std::vector<std::string> calls;
    for (const std::string& call : gpu.calls)
      if (call.starts_with("PCSampling") || call == "launch" || call == "flush") calls.push_back(call);
    return calls;
  }

  test::FakeGpu gpu;
  const Driver driver = test::fake_driver();
  CuptiLibrary cupti = test::fake_sampling();
  const CubinProvider provider = [](const CompileRequest&) { return std::string("cubin"); };
  CUresult launched = CUDA_SUCCESS;
  const ProfiledWork work = {[this](CUstream) {
    gpu.call("launch");
    return launched;
  }};
};

TEST_F(PcSampling, SumsTheSamplesOfTheCubin) {
  {
    auto sampler = open();
    ASSERT_TRUE(sampler) << sampler.error().message;
    const auto samples = sample(*sampler);
    ASSERT_TRUE(samples) << samples.error().message;
    ASSERT_EQ(samples->instructions.size(), 2U);
    EXPECT_EQ(samples->instructions[0].function, "scale");
    EXPECT_EQ(samples->instructions[0].offset, 16);
    EXPECT_EQ(samples->instructions[0].stalls, (StallCounts{{"wait", 6}, {"selected", 4}}));
    EXPECT_EQ(samples->instructions[0].not_issued, (StallCounts{{"wait", 2}}));
    EXPECT_EQ(samples->instructions[1].function, "sum");
    EXPECT_EQ(samples->launches, 2);
    EXPECT_EQ(samples->period_cycles, 1024);
  }
  EXPECT_THAT(calls_of_sampling(),
              ElementsAre("PCSamplingEnable", "PCSamplingGetNumStallReasons", "PCSamplingConfigure", "PCSamplingStart",
                          "flush", "launch", "flush", "launch", "PCSamplingStop", "PCSamplingGetData",
                          "PCSamplingGetData", "PCSamplingDisable"));
}

// A cubin that CUPTI cannot identify would have no samples, as if its launches were too short.
TEST_F(PcSampling, ACubinWithoutChecksumIsAnErrorAndNotSampled) {
  gpu.fails["GetCubinCrc"] = CUPTI_ERROR_INVALID_PARAMETER;
  auto sampler = open();
  const auto samples = sample(*sampler);
  ASSERT_FALSE(samples);
  EXPECT_THAT(samples.error().message, HasSubstr("cannot identify the sampled cubin"));
  EXPECT_FALSE(gpu.called("launch"));
}

TEST_F(PcSampling, SamplingIsStoppedAndSwitchedOffAfterAFailedLaunch) {
  {
    auto sampler = open();
    launched = CUDA_ERROR_LAUNCH_FAILED;
    const auto samples = sample(*sampler);
    ASSERT_FALSE(samples);
    EXPECT_EQ(samples.error().kind, ErrorKind::internal);
    EXPECT_EQ(sampler->run_status(), CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_TRUE(gpu.called("PCSamplingStop"));
    EXPECT_EQ(gpu.count("launch"), 1) << "the second launch is left out";
    EXPECT_FALSE(gpu.called("cuMemFree"));
  }
  const auto at = [&](const std::string& name) { return std::find(gpu.calls.begin(), gpu.calls.end(), name); };
  EXPECT_TRUE(at("PCSamplingDisable") < at("cuMemFree")) << "the flush is freed last";
}

// Every release would wait for the kernel. In its own process, because everything is leaked.
using PcSamplingDeathTest = PcSampling;
TEST_F(PcSamplingDeathTest, NothingIsReleasedWhileAKernelStillRuns) {
  const auto use_and_leave = [&](bool is_sampled) {
    {
      auto sampler = open();
      sampler->deadline_s = 0;
      gpu.event_status = CUDA_ERROR_NOT_READY;
      if (is_sampled && (sample(*sampler) || sampler->run_status() != CUDA_ERROR_NOT_READY)) _exit(1);
      if (!is_sampled) sampler->abandon(); // the kernel was launched elsewhere
    }
    for (const char* call : {"PCSamplingStop", "PCSamplingDisable", "cuMemFree", "cuModuleUnload", "cuEventDestroy"})
      if (gpu.called(call)) std::fprintf(stderr, "%s ", call);
    std::fputs("left", stderr);
    _exit(0);
  };
  EXPECT_EXIT(use_and_leave(true), testing::ExitedWithCode(0), "^left$");
  EXPECT_EXIT(use_and_leave(false), testing::ExitedWithCode(0), "^left$");
}

TEST_F(PcSampling, WhatIsMissingIsSaid) {
  for (const char* call : {"ProfilerInitialize", "PCSamplingEnable", "PCSamplingGetNumStallReasons"}) {
    gpu.calls.clear();
    gpu.fails = {{call, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES}};
    const auto refused = open();
    ASSERT_FALSE(refused) << call;
    EXPECT_EQ(refused.error().kind, ErrorKind::no_device);
    EXPECT_THAT(refused.error().message, HasSubstr("the driver restricts hardware counters to administrators"));
    EXPECT_EQ(gpu.called("PCSamplingDisable"), std::string(call) == "PCSamplingGetNumStallReasons");
  }
  gpu.fails.clear();
  gpu.is_supported = false;
  EXPECT_THAT(open().error().message, HasSubstr("because of its architecture"));
}

} // namespace
} // namespace warptune
