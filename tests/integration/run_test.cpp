// One configuration on a toy device with chosen faults, as `warptune run` and `profile` launch it.
#include "support/temp_dir.h"
#include "support/toy.h"
#include "tuner/run.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;

struct RunSelected : ::testing::Test {
  Result<RunReport> run(const std::string& faults, RunOptions options = {}) {
    options.worker_executable = test::program_dir() / "test_worker";
    options.cache = dir_.path();
    options.device = "toy:" + faults;
    return run_selected(kernel_, test::toy_problem(kernel_), {4, 4, 0}, options);
  }

  test::TempDir dir_;
  Kernel kernel_ = test::toy_kernel();
};

TEST_F(RunSelected, VerifiesAndTimes) {
  const auto report = run("");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->verdict.correct);
  EXPECT_NEAR(report->timing.median_us, test::toy_time_us({4, 4, 0}, 0), 0.1);
  EXPECT_GT(report->roofline.share, 0);
}

// The clock of a device that was idle differs from the clock in the finals (docs/notes/fresh-processes.md).
TEST_F(RunSelected, LetsTheClockRiseBeforeItTimes) {
  const auto report = run("evaluate/repeat options");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GE(report->timing.sm_clock_mhz, 100) << "milliseconds, as the toy tells them";
}

TEST_F(RunSelected, TheStateOfTheL2IsTheOneAskedFor) {
  for (const bool cold : {true, false}) {
    RunOptions options;
    options.cold_l2 = cold;
    options.metrics = "dram";
    const auto report = run("evaluate/repeat options", options);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->timing.cold_l2, cold);
    ASSERT_TRUE(report->profile);
    EXPECT_EQ(report->profile->cold_l2, cold);
  }
}

TEST_F(RunSelected, NothingIsCountedOfAWrongResult) {
  RunOptions options;
  options.metrics = "dram";
  const auto report = run("evaluate/wrong;profile/error", options);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->verdict.correct);
  EXPECT_FALSE(report->profile);
}

TEST_F(RunSelected, InstructionsAreSampledWithLines) {
  RunOptions options;
  options.samples = true;
  const auto report = run("", options);
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_TRUE(report->samples);
  EXPECT_FALSE(report->profile) << "no counters were requested";
  EXPECT_EQ(report->samples->instructions.front().line, 2) << "compiled with line information";
  EXPECT_EQ(report->samples->instructions.front().stalls, (StallCounts{{"cold", 3}}));
  EXPECT_EQ(report->samples->launches, static_cast<std::int64_t>(report->timing.median_us));
  options.cold_l2 = false;
  EXPECT_EQ(run("", options)->samples->instructions.front().stalls, (StallCounts{{"warm", 3}}));
  EXPECT_FALSE(run("")->samples);
}

TEST_F(RunSelected, InstructionsAreCountedBesideTheirSamples) {
  RunOptions options;
  options.samples = true;
  const auto report = run("", options);
  ASSERT_TRUE(report && report->samples);
  const auto& instructions = report->samples->instructions;
  ASSERT_EQ(instructions.size(), 2U);
  EXPECT_EQ(instructions[0].stalls, (StallCounts{{"cold", 3}}));
  EXPECT_EQ(instructions[0].line, 2) << "of the sampled instruction";
  EXPECT_EQ(instructions[0].counts.executed, 160);
  EXPECT_EQ(instructions[1].counts.executed, 320);
  EXPECT_EQ(instructions[1].line, 3) << "executed and never sampled";
  EXPECT_EQ(report->samples->no_counts, "");
}

TEST_F(RunSelected, WithoutCountsTheSamplesStay) {
  RunOptions options;
  options.samples = true;
  for (const auto& [fault, sentence] : {std::pair{"count/unavailable", "the toy cannot be patched"},
                                        {"count/error", "the toy failed while it was counted"},
                                        {"count/segv", "counting the instructions of toy with"}}) {
    const auto report = run(fault, options);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_TRUE(report->samples) << fault;
    EXPECT_EQ(report->samples->instructions.size(), 1U);
    EXPECT_THAT(report->samples->no_counts, HasSubstr(sentence));
  }
}

TEST_F(RunSelected, WithoutSamplesTheReasonIsKnown) {
  RunOptions options;
  options.samples = true;
  const auto none = run("sample/unavailable", options);
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_FALSE(none->samples);
  EXPECT_EQ(none->no_samples, "the toy has no instructions");
  const auto wrong = run("evaluate/wrong;sample/error", options);
  ASSERT_TRUE(wrong) << wrong.error().message;
  EXPECT_FALSE(wrong->samples) << "a wrong result is not sampled";
  const auto failed = run("sample/error", options);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::no_candidate);
  EXPECT_THAT(failed.error().message, HasSubstr("sampled"));
}

TEST_F(RunSelected, AWrongResultIsReportedAndNotTimed) {
  const auto report = run("evaluate/wrong");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->verdict.correct);
  EXPECT_EQ(report->timing.median_us, 0);
}

TEST_F(RunSelected, ACrashIsAnError) {
  const auto report = run("evaluate/segv");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::no_candidate);
  EXPECT_THAT(report.error().message, HasSubstr("running toy with A=4,B=4,C=0"));
}

} // namespace
} // namespace warptune
