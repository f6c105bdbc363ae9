// The rounds of the finals over a worker process with a toy device: which finalists leave early, which are
// disqualified, and the effect of a device that throttles.
#include "support/temp_dir.h"
#include "support/toy.h"
#include "tuner/finals.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace warptune {
namespace {

using ::testing::HasSubstr;

// The best (A=4, B=4, C=0), one that equals it except for 0.1 % of noise (C=1), and one that is 10 % slower (A=8).
class FinalRounds : public ::testing::Test {
 protected:
  FinalRounds() {
    for (const Config& config : {Config{4, 4, 0}, Config{4, 4, 1}, Config{8, 4, 0}}) {
      Finalist& f = finalists_.emplace_back();
      f.config = config;
      f.explored_us = 40;
    }
  }
  FinalsReport run(const std::string& faults, int rounds = 15) {
    const ProblemSetup setup{kernel_, test::toy_problem(kernel_), 0};
    DeviceWorker worker({test::program_dir() / "test_worker", "toy:" + faults, dir_.path().string()}, setup, 60);
    const std::atomic<bool> stop{false};
    auto report = run_finals(
        worker, test::toy_device(), finalists_, rounds, 60, [&](int) { pids_.push_back(worker.process()->pid()); },
        stop, true);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(FinalsReport{});
  }
  std::size_t samples(std::size_t i) const { return finalists_[i].samples_us.size(); }

  const Kernel kernel_ = test::toy_kernel();
  test::TempDir dir_;
  std::vector<Finalist> finalists_;
  std::vector<pid_t> pids_; // pid of the worker in each round
};

TEST_F(FinalRounds, ALoserLeavesAndEqualsGoOn) {
  const FinalsReport report = run("");
  EXPECT_EQ(report.rounds, 15);
  EXPECT_EQ(samples(0), 15u);
  EXPECT_EQ(samples(1), 15u);
  EXPECT_EQ(samples(2), 5u) << "slower by a tenth in each of them";
  EXPECT_TRUE(finalists_[2].settled);
  EXPECT_EQ(finalists_[2].status, TrialStatus::ok) << "it is slower, not wrong";
  const auto decision = decide(finalists_);
  ASSERT_TRUE(decision);
  EXPECT_TRUE(decision->certified);
  EXPECT_NE(decision->winner, 2u);
}

TEST_F(FinalRounds, AreSharedOutAmongFourProcesses) {
  EXPECT_EQ(run("").rounds, 15);
  ASSERT_EQ(pids_.size(), 15u);
  std::vector<std::size_t> first_rounds;
  for (std::size_t i = 0; i < pids_.size(); ++i)
    if (i == 0 || pids_[i] != pids_[i - 1]) first_rounds.push_back(i);
  EXPECT_THAT(first_rounds, testing::ElementsAre(0, 2, 4, 9));
}

TEST_F(FinalRounds, AClearDecisionNeedsFiveRounds) {
  finalists_.erase(finalists_.begin() + 1);
  EXPECT_EQ(run("").rounds, 5);
  EXPECT_TRUE(decide(finalists_)->certified);
}

TEST_F(FinalRounds, FewerRoundsThanThatSettleNothing) {
  EXPECT_EQ(run("", 4).rounds, 4);
  EXPECT_EQ(samples(2), 4u);
  EXPECT_FALSE(decide(finalists_)->certified);
}

TEST_F(FinalRounds, WhoIsWrongOnFreshDataIsOut) {
  run("round/wrong/A=4,B=4,C=0");
  EXPECT_EQ(finalists_[0].status, TrialStatus::wrong_result);
  EXPECT_THAT(finalists_[0].evidence, HasSubstr("in the finals, on fresh data: y[3] is 7, expected 2"));
  EXPECT_EQ(samples(0), 0u) << "the round in which it showed counts for nobody";
  EXPECT_EQ(samples(1), samples(2));
  EXPECT_EQ(decide(finalists_)->winner, 1u);
}

TEST_F(FinalRounds, NobodyIsLeftWhenAllAreWrong) {
  EXPECT_EQ(run("round/wrong").rounds, 0);
  EXPECT_FALSE(decide(finalists_));
}

TEST_F(FinalRounds, AThrottledRoundIsTakenAgain) {
  const FinalsReport report = run("round/once throttle");
  EXPECT_EQ(report.throttled, 1);
  EXPECT_EQ(throttle_text(report.fault_reasons), "heat");
  EXPECT_EQ(report.rounds, 15);
  EXPECT_FALSE(report.kept_throttled);
}

// Five rounds are enough to certify, so a throttled round is not needed in addition.
TEST_F(FinalRounds, AThrottledRoundDoesNotCountBesideFiveOthers) {
  const FinalsReport report = run("round/once throttle", 5);
  EXPECT_EQ(report.throttled, 1);
  EXPECT_EQ(report.rounds, 5);
  EXPECT_EQ(report.device.size(), 5U);
  EXPECT_FALSE(report.kept_throttled);
  EXPECT_EQ(samples(0), 5U);
}

TEST_F(FinalRounds, RoundsAtThePowerCapCount) {
  const FinalsReport report = run("round/power cap");
  EXPECT_EQ(report.throttled, 0);
  EXPECT_EQ(report.rounds, 15);
  ASSERT_EQ(report.device.size(), 15U);
  for (const DeviceReadings& device : report.device) {
    EXPECT_TRUE(is_at_power_cap(device.throttle_reasons));
    EXPECT_GT(device.sm_clock_mhz, 0);
    EXPECT_EQ(device.power_w, 695);
  }
  EXPECT_TRUE(decide(finalists_)->certified);
}

// The toy's time is the same at all places of a round, so levels equal samples except for the noise of the reference.
TEST_F(FinalRounds, SamplesAreComparedBesideTheReferences) {
  run("");
  for (const Finalist& f : finalists_) {
    ASSERT_FALSE(f.level_us.empty());
    ASSERT_EQ(f.level_us.size(), f.samples_us.size());
    for (std::size_t i = 0; i < f.level_us.size(); ++i) EXPECT_NEAR(f.level_us[i] / f.samples_us[i], 1, 0.0015);
  }
}

// The first finalist is the reference, because it was the fastest in the exploration.
TEST_F(FinalRounds, WithoutItsReferenceTheyBeginAnew) {
  const ProblemSetup setup{kernel_, test::toy_problem(kernel_), 0};
  DeviceWorker worker(
      {test::program_dir() / "test_worker", "toy:round/wrong when late/A=4,B=4,C=0", dir_.path().string()}, setup, 60);
  const std::atomic<bool> stop{false};
  std::vector<int> seen;
  const auto report = run_finals(
      worker, test::toy_device(), finalists_, 15, 60,
      [&](int round) {
        seen.push_back(round);
        pids_.push_back(worker.process()->pid());
        if (round == 3) std::ofstream(dir_.path() / "late") << "";
      },
      stop, true);
  ASSERT_TRUE(report);
  EXPECT_EQ(finalists_[0].status, TrialStatus::wrong_result);
  EXPECT_EQ(report->rounds, 5) << "of the other two, of which one is a tenth slower";
  EXPECT_THAT(seen, ::testing::ElementsAre(1, 2, 3, 1, 2, 3, 4, 5)) << "rounds beside the former do not count";
  EXPECT_EQ(report->device.size(), 5U);
  EXPECT_EQ(samples(1), 5U);
  EXPECT_EQ(samples(2), 5U);
  ASSERT_EQ(pids_.size(), 8U);
  EXPECT_EQ(std::set<pid_t>(pids_.begin() + 3, pids_.end()).size(), 3U) << "new processes after 2 and 4 of the rounds";
}

TEST_F(FinalRounds, ADeviceThatAlwaysThrottlesIsMeasuredAsItIs) {
  const FinalsReport report = run("round/throttle");
  EXPECT_TRUE(report.kept_throttled);
  EXPECT_EQ(report.throttled, 16);
  EXPECT_EQ(report.rounds, 16) << "as many as were tried";
  EXPECT_TRUE(decide(finalists_)->certified);
}

} // namespace
} // namespace warptune
