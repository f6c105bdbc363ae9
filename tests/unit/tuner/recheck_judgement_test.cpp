// The judgement of a stored result after new times or with new tools: sentences and status, without a device.
#include "tuner/recheck_judgement.h"
#include "tuner/recheck_rows.h"

#include <gmock/gmock.h>
#include <limits>
#include <set>

namespace warptune {
namespace {

using ::testing::HasSubstr;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

BestRecord stored() {
  BestRecord row;
  row.id = 7;
  row.source_hash = "abc";
  row.driver = "580.1";
  row.compiler = "NVRTC 13.0";
  row.version = "0.1.0";
  row.median_us = 100;
  row.ci_low_us = 99;
  row.ci_high_us = 101;
  return row;
}

// 15 rounds around `us`, with a wave of 0.1 %.
std::vector<float> around(double us) {
  std::vector<float> samples;
  for (int i = 0; i < 15; ++i) samples.push_back(static_cast<float>(us * (1 + 0.001 * ((i * 7) % 11 - 5) / 5.0)));
  return samples;
}

CheckRecord judge(const std::vector<float>& winner, const std::vector<float>& standard, double tolerance = 0.02) {
  return judge_times(stored(), {winner, standard}, tolerance);
}

TEST(StaleText, SaysWhatChanged) {
  EXPECT_EQ(stale_text(stored(), {"580.1", "NVRTC 13.0", "0.1.0", "abc"}), "");
  EXPECT_EQ(stale_text(stored(), {"590.2", "NVRTC 13.0", "0.1.0", "abc"}), "driver 580.1 then, 590.2 now");
  EXPECT_EQ(stale_text(stored(), {"590.2", "NVRTC 13.1", "0.2.0", "def"}),
            "the kernel's sources changed; driver 580.1 then, 590.2 now; NVRTC 13.0 then, NVRTC 13.1 now; "
            "warptune 0.1.0 then, 0.2.0 now");
}

TEST(StaleText, OfWhatIsNotKnownNothingIsSaid) {
  BestRecord built = stored();
  built.compiler += "; triton: 3.3";
  EXPECT_EQ(stale_text(built, {"580.1", "NVRTC 13.0", "0.1.0", "abc"}), ""); // without a version of Triton to compare
  EXPECT_EQ(stale_text(built, {"580.1", "NVRTC 13.0; triton: 3.4", "0.1.0", "abc"}),
            "NVRTC 13.0; triton: 3.3 then, NVRTC 13.0; triton: 3.4 now");
  // A library's version is compared if both versions are known.
  BestRecord calls = built;
  calls.compiler = "NVRTC 13.0; cublaslt 13.1; triton: 3.3";
  EXPECT_EQ(stale_text(calls, {"580.1", "NVRTC 13.0; cublaslt 13.1", "0.1.0", "abc"}), "");
  EXPECT_EQ(stale_text(calls, {"580.1", "NVRTC 13.0; cublaslt 13.2", "0.1.0", "abc"}),
            "NVRTC 13.0; cublaslt 13.1 then, NVRTC 13.0; cublaslt 13.2 now");
  EXPECT_EQ(stale_text(stored(), {"580.1", "NVRTC 13.0; cublaslt 13.2", "0.1.0", "abc"}), "");
  EXPECT_EQ(stale_text(stored(), {}), "");
  BestRecord old = stored();
  old.driver = old.compiler = old.version = "";
  EXPECT_EQ(stale_text(old, {"590.2", "NVRTC 13.1", "0.2.0", "abc"}), "");
}

TEST(JudgeTimes, HoldsWithinTheTolerance) {
  const CheckRecord check = judge(around(101.5), around(150));
  EXPECT_EQ(check.status, CheckStatus::holds);
  EXPECT_EQ(check.best, 7);
  EXPECT_EQ(check.rounds, 15);
  EXPECT_NEAR(check.median_us, 101.5, 0.1);
  EXPECT_LE(check.ci_low_us, check.median_us);
  EXPECT_GE(check.ci_high_us, check.median_us);
  EXPECT_NEAR(check.default_us, 150, 0.2);
  EXPECT_THAT(check.evidence, HasSubstr("100 us then, 101.5 us now (+1.50 %)"));
}

TEST(JudgeTimes, AtThePowerCapATimeThatFollowsTheClockIsNoMove) {
  BestRecord row = stored();
  row.rounds = {{100, 150, 0, {1800, 60, 690, 0x4}}};
  const std::vector<FinalRound> now = {{0, 0, 0, {1500, 60, 690, 0x4}}, {0, 0, 0, {1455, 60, 690, 0x4}}};
  const CheckRecord check = judge_times(row, {around(120), around(180), now}, 0.02);
  EXPECT_EQ(check.status, CheckStatus::holds);
  EXPECT_THAT(check.evidence, HasSubstr("the board was at its power cap (1800 MHz then, 1455 to 1500 MHz now)"));
  EXPECT_EQ(judge_times(row, {around(120), {}, now}, 0.02).status, CheckStatus::not_timed);
  EXPECT_EQ(judge_times(row, {around(190), around(180), now}, 0.02).status, CheckStatus::slower_than_default);
  row.rounds.clear();
  EXPECT_EQ(judge_times(row, {around(120), around(180), {}}, 0.02).status, CheckStatus::moved);
}

TEST(JudgeTimes, MovedNeedsBothTheToleranceAndTheIntervals) {
  EXPECT_EQ(judge(around(103), around(150)).status, CheckStatus::moved);
  EXPECT_EQ(judge(around(96), around(150)).status, CheckStatus::moved) << "faster is news as well";
  EXPECT_EQ(judge(around(103), around(150), 0.05).status, CheckStatus::holds);
  BestRecord wide = stored();
  wide.ci_high_us = 104;
  const CheckRecord within = judge_times(wide, {around(103), around(150)}, 0.02);
  EXPECT_EQ(within.status, CheckStatus::holds);
  EXPECT_THAT(within.evidence, HasSubstr("but the 95 % intervals overlap"));
  BestRecord bare = stored();
  bare.ci_low_us = bare.ci_high_us = 0;
  EXPECT_EQ(judge_times(bare, {around(103), {}}, 0.02).status, CheckStatus::moved) << "its median alone";
  EXPECT_EQ(judge_times(bare, {around(100), {}}, 0.02).status, CheckStatus::holds);
}

TEST(JudgeTimes, NoAdvantageOverTheDefaultIsWorseThanMoved) {
  const CheckRecord check = judge(around(120), around(110));
  EXPECT_EQ(check.status, CheckStatus::slower_than_default);
  EXPECT_THAT(check.evidence, HasSubstr("no longer faster than the default, which takes 110 us"));
  EXPECT_EQ(judge(around(100), around(100)).status, CheckStatus::slower_than_default);
  EXPECT_EQ(judge(around(100), around(100.5)).status, CheckStatus::holds);
}

TEST(JudgeTimes, WhatWasChosenForItsEnergyMayBeSlowerThanTheDefault) {
  BestRecord frugal = stored();
  frugal.objective = Objective::energy;
  EXPECT_EQ(judge_times(frugal, {around(100), around(90)}, 0.02).status, CheckStatus::holds);
  EXPECT_EQ(judge_times(frugal, {around(120), around(110)}, 0.02).status, CheckStatus::moved);
}

TEST(JudgeTimes, WithoutADefaultThereIsNothingToBeSlowerThan) {
  const CheckRecord check = judge(around(100), {});
  EXPECT_EQ(check.status, CheckStatus::holds);
  EXPECT_EQ(check.default_us, 0);
}

TEST(JudgeTimes, WhatIsNoTimeDoesNotCount) {
  std::vector<float> winner = around(100), standard = around(150);
  winner[0] = kNaN;
  winner[1] = std::numeric_limits<float>::infinity();
  winner[2] = 0;
  standard[3] = kNaN;
  standard[4] = -1;
  const CheckRecord check = judge(winner, standard);
  EXPECT_EQ(check.status, CheckStatus::holds);
  EXPECT_EQ(check.rounds, 10);
  EXPECT_NEAR(check.median_us, 100, 0.1);
}

TEST(JudgeTimes, TooFewRoundsTellNothing) {
  for (const auto& samples : {std::vector<float>{}, std::vector<float>(15, kNaN), std::vector<float>(4, 300.0F)}) {
    const CheckRecord check = judge(samples, around(150));
    EXPECT_EQ(check.status, CheckStatus::not_timed) << samples.size();
    EXPECT_EQ(check.median_us, 0);
    EXPECT_THAT(check.evidence, HasSubstr("5 are needed"));
  }
  EXPECT_EQ(judge(around(100), std::vector<float>(15, kNaN)).status, CheckStatus::not_timed);
  EXPECT_EQ(judge(around(100), {150.0F, 150.0F}).status, CheckStatus::not_timed) << "2 pairs";
}

TEST(Sample, IsANumberOrAShare) {
  EXPECT_EQ(parse_sample("20")->amount, 20);
  EXPECT_FALSE(parse_sample("20")->is_percent);
  EXPECT_TRUE(parse_sample("10%")->is_percent);
  for (const char* text : {"", "%", "0", "-3", "101%", "0%", "1.5", "10 %%", "many", "99999999999999999999"}) {
    const auto sample = parse_sample(text);
    ASSERT_FALSE(sample) << text;
    EXPECT_EQ(sample.error().kind, ErrorKind::bad_input);
  }
}

std::vector<RowId> drawn(std::size_t population, const Sample& sample, std::uint64_t seed) {
  std::vector<BestRecord> rows(population);
  for (std::size_t i = 0; i < population; ++i) rows[i].id = static_cast<RowId>(i);
  std::vector<RowId> ids;
  for (const BestRecord& row : draw_sample(rows, sample, seed)) ids.push_back(row.id);
  return ids;
}

TEST(Sample, DrawsDistinctRowsInTheirOrder) {
  const std::vector<RowId> ids = drawn(50, {20, false}, 1);
  EXPECT_EQ(ids.size(), 20u);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(std::set<RowId>(ids.begin(), ids.end()).size(), 20u);
  EXPECT_EQ(ids, drawn(50, {20, false}, 1));
  EXPECT_NE(ids, drawn(50, {20, false}, 2));
  EXPECT_EQ(drawn(50, {80, false}, 1).size(), 50u);
  EXPECT_EQ(drawn(50, {10, true}, 1).size(), 5u);
  EXPECT_EQ(drawn(3, {1, true}, 1).size(), 1u) << "at least one";
  EXPECT_TRUE(drawn(0, {10, true}, 1).empty());
  std::set<RowId> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (const RowId id : drawn(50, {5, false}, seed)) seen.insert(id);
  EXPECT_EQ(seen.size(), 50u) << "every row has its turn";
}

} // namespace
} // namespace warptune
