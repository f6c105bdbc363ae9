#include "spec/config.h"
#include "support/built_kernel.h"
#include "tuner/finals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 15 rounds around `us`, with a wave of amplitude `wave` that all finalists partly share.
Finalist finalist_of(ConfigIndex index, double us, int registers, bool is_default = false, double wave = 0.001) {
  Finalist f;
  f.index = index;
  f.config = {index};
  f.compiled.resources.registers = registers;
  f.is_default = is_default;
  f.explored_us = us;
  for (int i = 0; i < 15; ++i)
    f.samples_us.push_back(
        static_cast<float>(us * (1 + wave * (((i * 7 + static_cast<int>(index) * 3) % 11) - 5) / 5.0)));
  return f;
}

Trial timed_trial(double us, bool complete = true) {
  Trial t;
  t.status = TrialStatus::ok;
  t.timing.emplace().median_us = us;
  t.timing->complete = complete;
  return t;
}

TEST(ChooseFinalists, WithinFivePercentAndTheDefaultAlways) {
  TrialBook book{{0, timed_trial(30)},
                 {1, timed_trial(10)},
                 {2, timed_trial(10.4)},
                 {3, timed_trial(10.6)},
                 {4, timed_trial(10.2)}};
  EXPECT_THAT(choose_finalists(book, 0, 8), ElementsAre(1, 4, 2, 0));
  EXPECT_THAT(choose_finalists(book, 0, 2), ElementsAre(1, 4, 0));
  EXPECT_THAT(choose_finalists(book, 1, 8), ElementsAre(1, 4, 2));
  EXPECT_THAT(choose_finalists(book, std::nullopt, 1), ElementsAre(1));
}

TEST(ChooseFinalists, LeavesOutWhatFailedOrWasDropped) {
  TrialBook book{{0, timed_trial(30)}, {1, timed_trial(10)}, {2, timed_trial(10.1, false)}, {3, Trial{}}};
  book[0].status = TrialStatus::wrong_result;
  EXPECT_THAT(choose_finalists(book, 0, 8), ElementsAre(1));
  EXPECT_TRUE(choose_finalists({{3, Trial{}}}, 3, 8).empty());
}

TEST(DescribeLaunches, WhatACommandBuiltSaysItselfWhatItTakes) {
  const std::string kHash(64, 'a');
  const test::BuiltKernel folder;
  const Kernel kernel = folder.load();
  const Problem problem = make_problem(kernel.spec, "n=4096", "", {}).value();
  const test::TempDir dir;
  const CubinCache cubins(dir.path());
  Cubin cubin;
  cubin.image = "made elsewhere";
  cubin.lowered_names = {"toy_0d1d threads=128 shared=4096"};
  cubin.resources.resize(1);
  ASSERT_TRUE(cubins.store(kHash, cubin));
  std::vector<Finalist> finalists(2);
  for (Finalist& f : finalists)
    f.config = parse_config(kernel.spec, "implementation=elsewhere,A=2,B=3,ROUND=0").value();
  finalists[0].compiled.cubin_hash = kHash;
  CandidatePlans plans;
  describe_launches(finalists, plans, cubins, kernel, problem, h200_device());
  EXPECT_EQ(finalists[0].threads, 128);
  EXPECT_EQ(finalists[0].shared_bytes, 4096);
  EXPECT_EQ(finalists[1].threads, 32) << "without its program";
  EXPECT_EQ(finalists[1].shared_bytes, 16);
}

TEST(Decide, AClearWinner) {
  const std::vector<Finalist> f{finalist_of(0, 20, 32, true), finalist_of(1, 10, 64), finalist_of(2, 11, 16)};
  const auto d = decide(f);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->winner, 1u);
  EXPECT_THAT(d->tie_set, ElementsAre(1));
  EXPECT_TRUE(d->certified);
  EXPECT_LT(d->p_value, 0.001);
  EXPECT_NEAR(d->default_us, 20, 0.1);
  EXPECT_LE(d->ci_low_us, d->median_us);
  EXPECT_THAT(d->outcome, HasSubstr("2.00x faster than the default (p < 0.001)"));
}

// Rounds of several processes differ by 1 %: the interval covers rounds, not their median.
TEST(Decide, TheIntervalHoldsWhatAnotherProcessFinds) {
  const std::vector<Finalist> f{finalist_of(0, 20, 32, true, 0.01), finalist_of(1, 10, 64, false, 0.01)};
  const auto d = decide(f);
  ASSERT_TRUE(d);
  EXPECT_LT(d->ci_low_us, *std::min_element(f[1].samples_us.begin(), f[1].samples_us.end()));
  EXPECT_GT(d->ci_high_us, *std::max_element(f[1].samples_us.begin(), f[1].samples_us.end()));
  EXPECT_NEAR(d->ci_high_us, 10.1, 0.08);
}

// It is not known which of two neighbouring clocks another process gets.
TEST(Decide, TheIntervalHoldsAStepOfTheClock) {
  const std::vector<Finalist> f{finalist_of(0, 20, 32, true), finalist_of(1, 10, 64)};
  const auto without = decide(f), with = decide(f, Objective::time, 1500);
  ASSERT_TRUE(without && with);
  EXPECT_NEAR(with->ci_low_us, without->ci_low_us / 1.01, 1e-9);
  EXPECT_NEAR(with->ci_high_us, without->ci_high_us * 1.01, 1e-9);
  EXPECT_EQ(with->median_us, without->median_us);
}

TEST(Decide, FewerRegistersWinATie) {
  const std::vector<Finalist> f{finalist_of(0, 20, 32, true), finalist_of(1, 10, 64), finalist_of(2, 10.0001, 40),
                                finalist_of(3, 10.0001, 40)};
  const auto d = decide(f);
  ASSERT_TRUE(d);
  EXPECT_THAT(d->tie_set, ElementsAre(1, 2, 3));
  EXPECT_EQ(d->winner, 2u); // as few registers as 3, and the smaller configuration
}

TEST(Decide, WhatEveryApplicationMayLaunchWinsATie) {
  std::vector<Finalist> f{finalist_of(0, 20, 32, true), finalist_of(1, 10, 16), finalist_of(2, 10.0001, 64)};
  EXPECT_EQ(decide(f)->winner, 1u);
  f[1].calls = "driver.copy";
  EXPECT_THAT(decide(f)->tie_set, ElementsAre(1, 2));
  EXPECT_EQ(decide(f)->winner, 2u);
}

TEST(Decide, ThenLessSharedMemoryThenFewerThreads) {
  std::vector<Finalist> f{finalist_of(0, 20, 32, true), finalist_of(1, 10, 40), finalist_of(2, 10.0001, 40),
                          finalist_of(3, 10.0001, 40)};
  f[1].shared_bytes = 4096;
  f[2].shared_bytes = f[3].shared_bytes = 1024;
  f[2].compiled.resources.static_shared_bytes = 512;
  EXPECT_EQ(decide(f)->winner, 3u);
  f[3].shared_bytes += 512;
  f[2].threads = 128;
  f[3].threads = 64;
  EXPECT_EQ(decide(f)->winner, 3u);
  f[3].threads = 128;
  EXPECT_EQ(decide(f)->winner, 2u) << "the smaller configuration, when nothing else tells";
}

// Noisy, so a difference of 0.4 % is not significant: it is a tie, but fewer registers are no reason to choose the
// slower one.
TEST(Decide, ATieIsNoReasonToBeSlower) {
  std::vector<Finalist> f{finalist_of(0, 20, 32, true), finalist_of(1, 10, 64), finalist_of(2, 10, 16)};
  for (std::size_t i = 0; i < 15; ++i) {
    f[1].samples_us[i] = 10 + 0.1F * static_cast<float>(i % 5);
    f[2].samples_us[i] = 10.04F + 0.1F * static_cast<float>((i + 2) % 5);
  }
  auto d = decide(f);
  ASSERT_TRUE(d);
  EXPECT_THAT(d->tie_set, ElementsAre(1, 2));
  EXPECT_EQ(d->winner, 1u);
  for (float& us : f[2].samples_us) us -= 0.03F;
  d = decide(f);
  EXPECT_THAT(d->tie_set, ElementsAre(1, 2));
  EXPECT_EQ(d->winner, 2u) << "a tenth of a per cent is";
}

// A finalist that left early is compared over the rounds that both ran.
TEST(Decide, WhoLeftEarlyIsStillSlower) {
  std::vector<Finalist> f{finalist_of(0, 20, 32, true), finalist_of(1, 10, 64), finalist_of(2, 11, 16)};
  for (const std::size_t i : {0U, 2U}) {
    f[i].samples_us.resize(5);
    f[i].settled = true;
  }
  const auto d = decide(f);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->winner, 1u);
  EXPECT_THAT(d->tie_set, ElementsAre(1));
  EXPECT_LT(d->p_value, 0.05);
}

// It left while the device was fast: its five rounds are no better than the first five of the others.
TEST(Decide, WhoLeftWhileTheDeviceWasFasterDoesNotWin) {
  std::vector<Finalist> f{finalist_of(0, 20, 32, true), finalist_of(1, 10, 64), finalist_of(2, 9.5, 16)};
  for (std::size_t i = 0; i < 5; ++i) f[1].samples_us[i] = 9;
  f[2].samples_us.resize(5);
  f[2].settled = true;
  const auto d = decide(f);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->winner, 1u);
}

// Slower in each round, but in one only slightly: five random rounds can do that as well.
TEST(SettleLosers, NeedsADifferenceThatIsLargerThanWhatItVariesBy) {
  std::vector<Finalist> f{finalist_of(0, 10, 32, false, 0), finalist_of(1, 10, 32, false, 0),
                          finalist_of(2, 10, 32, false, 0)};
  for (std::size_t i = 0; i < 15; ++i) {
    f[1].samples_us[i] = 10.001F + 0.01F * static_cast<float>(i % 3);
    f[2].samples_us[i] = 10.1F + 0.01F * static_cast<float>(i % 3);
  }
  settle_losers(f);
  EXPECT_FALSE(f[0].settled);
  EXPECT_FALSE(f[1].settled);
  EXPECT_TRUE(f[2].settled);
}

TEST(Decide, TheDefaultStaysWhenNothingIsProvenFaster) {
  const std::vector<Finalist> f{finalist_of(0, 10.0001, 32, true), finalist_of(1, 10, 16)};
  const auto d = decide(f);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->winner, 0u);
  EXPECT_EQ(d->tie_set.size(), 2u);
  EXPECT_THAT(d->outcome, HasSubstr("not distinguishable from the default"));
}

TEST(Decide, TheDefaultIsTheBest) {
  const std::vector<Finalist> f{finalist_of(0, 9, 32, true), finalist_of(1, 10, 16)};
  EXPECT_EQ(decide(f)->winner, 0u);
  EXPECT_EQ(decide(f)->outcome, "the default is the best");
}

TEST(Decide, WithoutADefault) {
  const auto d = decide(std::vector<Finalist>{finalist_of(1, 10, 64), finalist_of(2, 11, 16)});
  ASSERT_TRUE(d);
  EXPECT_EQ(d->winner, 0u);
  EXPECT_EQ(d->default_us, 0);
  EXPECT_EQ(d->p_value, 1);
  EXPECT_THAT(d->outcome, HasSubstr("nothing to compare with"));
}

TEST(Decide, TooFewRoundsCertifyNothing) {
  std::vector<Finalist> f{finalist_of(0, 20, 32, true), finalist_of(1, 10, 64)};
  for (Finalist& one : f) one.samples_us.resize(3);
  const auto d = decide(f);
  ASSERT_TRUE(d);
  EXPECT_FALSE(d->certified);
  EXPECT_EQ(d->winner, 0u);
  EXPECT_THAT(d->outcome, HasSubstr("too few rounds"));
}

TEST(Decide, WhoIsOutIsOut) {
  std::vector<Finalist> f{finalist_of(0, 20, 32, true), finalist_of(1, 10, 64), finalist_of(2, 11, 16)};
  f[1].status = TrialStatus::wrong_result;
  EXPECT_EQ(decide(f)->winner, 2u);
  f[2].status = TrialStatus::crashed;
  EXPECT_EQ(decide(f)->winner, 0u);
  f[0].status = TrialStatus::crashed;
  EXPECT_FALSE(decide(f));
}

} // namespace
} // namespace warptune
