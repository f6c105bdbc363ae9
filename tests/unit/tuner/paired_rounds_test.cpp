// Rounds on a device whose clock changes: their order, their reference, and whether the faster of two configurations 1
// % apart wins on synthetic traces for which raw samples mislead.
#include "core/random.h"
#include "core/statistics.h"
#include "tuner/decision.h"
#include "tuner/paired_rounds.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

namespace warptune {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Finalist finalist(double us, int registers, bool is_default = false) {
  Finalist f;
  f.compiled.resources.registers = registers;
  f.is_default = is_default;
  f.explored_us = us;
  return f;
}

TEST(BalancedOrder, EachTakesEveryPlaceAndFollowsEveryOtherEquallyOften) {
  for (const std::size_t count : {2U, 3U, 4U, 7U, 8U}) {
    std::map<std::pair<std::size_t, std::size_t>, int> at, after;
    const std::size_t rounds = count % 2 == 0 ? count : 2 * count;
    for (std::size_t round = 0; round < rounds; ++round) {
      std::vector<std::size_t> running(count);
      std::iota(running.begin(), running.end(), std::size_t{0});
      const std::vector<std::size_t> order = balanced_order(std::move(running), round);
      for (std::size_t k = 0; k < count; ++k) ++at[{k, order[k]}];
      for (std::size_t k = 1; k < count; ++k) ++after[{order[k - 1], order[k]}];
    }
    EXPECT_EQ(at.size(), count * count);
    EXPECT_EQ(after.size(), count * (count - 1));
    for (const auto& [place, times] : at) EXPECT_EQ(times, static_cast<int>(rounds / count)) << count;
    for (const auto& [pair, times] : after) EXPECT_EQ(times, static_cast<int>(rounds / count)) << count;
  }
}

TEST(PlanRound, TheReferenceIsTheDefaultUnlessItIsFarSlower) {
  std::vector<Finalist> f{finalist(120, 32, true), finalist(100, 64), finalist(101, 16)};
  EXPECT_EQ(choose_reference(f), 0U);
  f[0].explored_us = 130;
  EXPECT_EQ(choose_reference(f), 1U);
  f[1].status = TrialStatus::wrong_result;
  EXPECT_EQ(choose_reference(f), 2U);
  f[0].status = TrialStatus::crashed;
  EXPECT_EQ(choose_reference(f), std::nullopt) << "one has nothing to be compared with";
}

TEST(PlanRound, EachFollowsTheReferenceAndAllTakeAsLong) {
  const std::vector<Finalist> f{finalist(200, 32, true), finalist(100, 64), finalist(104, 16), finalist(101, 16)};
  const RoundPlan plan = plan_round(f, 1, 0);
  EXPECT_THAT(plan.places, ElementsAre(3, 1, 0, 1, 2, 1, 3, 1)) << "and the reference follows another, from the start";
  EXPECT_THAT(plan.references, ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(plan.idle_us, ElementsAre(3, 0, 0, 0, 0, 0, 3, 0)) << "whoever is far slower is not waited for";
  const RoundPlan alone = plan_round(f, std::nullopt, 0);
  EXPECT_THAT(alone.places, ElementsAre(0, 1, 3, 2));
  EXPECT_THAT(alone.references, IsEmpty());
  EXPECT_THAT(alone.idle_us, IsEmpty());
}

TEST(PlanRound, IdleTimesFollowTheLastSamples) {
  std::vector<Finalist> f{finalist(100, 32, true), finalist(100, 64), finalist(100, 16)};
  f[1].samples_us = {100, 120};
  f[2].samples_us = {100, 125};
  const RoundPlan plan = plan_round(f, 0, 0);
  EXPECT_THAT(plan.places, ElementsAre(2, 0, 1, 0, 2, 0));
  EXPECT_THAT(plan.idle_us, ElementsAre(0, 0, 5, 0, 0, 0));
}

TEST(PlanRound, AWarmUpComesBeforeWhatCounts) {
  const std::vector<Finalist> f{finalist(5e3, 32, true), finalist(4.9e3, 64)};
  const RoundPlan plan = plan_round(f, 0, 0, true);
  EXPECT_THAT(plan.places, ElementsAre(0, 0, 0, 0, 1, 0, 1, 0));
  EXPECT_THAT(plan.references, ElementsAre(5, 7));
  EXPECT_EQ(plan.idle_us.size(), plan.places.size());
}

TEST(PlanRound, WhatTakesLongHasItsReferenceAtTheEnds) {
  const std::vector<Finalist> f{finalist(30e3, 32, true), finalist(29e3, 64), finalist(29e3, 64)};
  EXPECT_THAT(plan_round(f, 0, 0).places, ElementsAre(2, 0, 1, 2, 0));
  EXPECT_THAT(plan_round(f, 0, 0).references, ElementsAre(1, 4));
}

TEST(PlanRound, WhoLeftDoesNotRunButStaysTheReference) {
  std::vector<Finalist> f{finalist(110, 32, true), finalist(100, 64), finalist(101, 16)};
  f[0].settled = true;
  EXPECT_THAT(plan_round(f, 0, 0).places, ElementsAre(2, 0, 1, 0, 2, 0));
  EXPECT_THAT(plan_round(f, 0, 1).places, ElementsAre(1, 0, 2, 0, 1, 0));
}

TEST(PlanRound, AReferenceThatIsLeftAloneHasItsRounds) {
  std::vector<Finalist> f{finalist(110, 32, true), finalist(100, 64)};
  f[1].status = TrialStatus::wrong_result;
  const RoundPlan plan = plan_round(f, 0, 3);
  EXPECT_THAT(plan.references, ElementsAre(1, 2));
  PairedRounds rounds;
  rounds.count(f, plan, std::vector<float>{111, 112, 114});
  EXPECT_THAT(f[0].samples_us, ElementsAre(::testing::FloatNear(113, 0.01F)));
  EXPECT_EQ(f[0].level_us.size(), 1U);
}

// The device's drift over rounds and within a round does not change the levels, and neither does one disturbed
// reference.
TEST(PairedRounds, StateEverySampleAtTheMedianRound) {
  std::vector<Finalist> f{finalist(120, 32, true), finalist(100, 64), finalist(101, 16)};
  const double truth[] = {120, 100, 101};
  PairedRounds rounds;
  for (std::size_t round = 0; round < 5; ++round) {
    const RoundPlan plan = plan_round(f, 0, round);
    std::vector<float> samples;
    for (std::size_t place = 0; place < plan.places.size(); ++place)
      samples.push_back(static_cast<float>(truth[plan.places[place]] * std::exp(0.02 * static_cast<double>(round)) *
                                           std::exp(0.005 * static_cast<double>(place))));
    if (round == 3) samples[plan.references[1]] *= 2;
    rounds.count(f, plan, samples);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(f[i].samples_us.size(), 5U);
    ASSERT_EQ(f[i].level_us.size(), 5U);
    for (const float us : f[i].level_us) EXPECT_NEAR(us / f[0].level_us[0], truth[i] / truth[0], 1e-4);
    EXPECT_NEAR(median(f[i].level_us) / median(f[i].samples_us), 1, 0.02) << "stated at the median round";
  }
}

// With many finalists, a step of the clock disturbs only the sample at which it happens.
TEST(PairedRounds, FollowAStepWithinARound) {
  for (const std::size_t step : {7U, 11U}) {
    std::vector<Finalist> f;
    for (int i = 0; i < 8; ++i) f.push_back(finalist(100 + i, 32, i == 0));
    PairedRounds rounds;
    const RoundPlan plan = plan_round(f, 0, 0);
    std::vector<float> samples;
    for (std::size_t place = 0; place < plan.places.size(); ++place) {
      const double jitter = place % 4 == 0 ? 1.001 : 1;
      samples.push_back(
          static_cast<float>((100.0 + static_cast<double>(plan.places[place])) * (place < step ? 1 : 1.3) * jitter));
    }
    rounds.count(f, plan, samples);
    int right = 0;
    for (std::size_t i = 0; i < 8; ++i)
      right += std::abs(f[i].level_us[0] / f[0].level_us[0] / (1 + 0.01 * static_cast<double>(i)) - 1) < 0.002 ? 1 : 0;
    EXPECT_EQ(right, 7) << step;
  }
}

TEST(PairedRounds, WithoutAReferenceSamplesStandForThemselves) {
  std::vector<Finalist> f{finalist(10, 32, true), finalist(11, 64)};
  PairedRounds rounds;
  rounds.count(f, plan_round(f, std::nullopt, 1), std::vector<float>{11.5F, 10.5F});
  EXPECT_THAT(f[0].samples_us, ElementsAre(10.5F));
  EXPECT_THAT(f[0].level_us, IsEmpty());
  EXPECT_THAT(f[1].compared_us(), ElementsAre(11.5F));
}

// A device whose clock falls from 1980 to 1400 MHz over 15 rounds, as at a power cap, with 0.3 % of noise.
class DriftingDevice {
 public:
  explicit DriftingDevice(std::uint64_t seed) : state_(mix(seed)) {}
  float sample(double us_at_1980, double progress) {
    double noise = 0; // the sum of twelve uniform numbers: nearly normal, with standard deviation 1
    for (int i = 0; i < 12; ++i) noise += static_cast<double>((state_ = mix(state_)) >> 11) / 9007199254740992.0;
    const double clock = 1980 - 580 * progress;
    return static_cast<float>(us_at_1980 * 1980 / clock * (1 + 0.003 * (noise - 6)));
  }

 private:
  std::uint64_t state_;
};

constexpr int kRounds = 15;
constexpr double kTruth[] = {115, 100, 101}; // the default, the fastest, and the second fastest, which would win a tie
std::vector<Finalist> three() { return {finalist(115, 32, true), finalist(100, 64), finalist(101, 16)}; }

std::vector<float> run_round(DriftingDevice& device, const std::vector<std::size_t>& places, int round) {
  std::vector<float> samples;
  for (std::size_t k = 0; k < places.size(); ++k)
    samples.push_back(device.sample(kTruth[places[k]],
                                    (round + static_cast<double>(k) / static_cast<double>(places.size())) / kRounds));
  return samples;
}

bool is_right(const std::vector<Finalist>& finalists) {
  const auto decision = decide(finalists);
  return decision && decision->winner == 1 && decision->tie_set.size() == 1;
}

struct Sessions {
  int right = 0;
  double worst_ratio_error = 0; // of the ratio of the default's time to the winner's
};

Sessions simulate(const std::function<void(std::vector<Finalist>&, DriftingDevice&)>& hold) {
  Sessions sessions;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<Finalist> finalists = three();
    DriftingDevice device(seed);
    hold(finalists, device);
    sessions.right += is_right(finalists) ? 1 : 0;
    const auto decision = decide(finalists);
    sessions.worst_ratio_error =
        std::max(sessions.worst_ratio_error, std::abs(decision->default_us / decision->median_us / 1.15 - 1));
  }
  return sessions;
}

TEST(DriftingClock, OneRoundByItselfOrdersWhatIsAPerCentApart) {
  const Sessions paired = simulate([](std::vector<Finalist>& finalists, DriftingDevice& device) {
    PairedRounds rounds;
    const auto reference = choose_reference(finalists);
    for (int round = 0; round < kRounds; ++round) {
      const RoundPlan plan = plan_round(finalists, reference, static_cast<std::size_t>(round));
      rounds.count(finalists, plan, run_round(device, plan.places, round));
      settle_losers(finalists);
    }
  });
  EXPECT_GE(paired.right, 98);
  EXPECT_LT(paired.worst_ratio_error, 0.01) << "though the default left while the clock was high";
}

// Each round begins on an idle device, whose clock falls to the power cap within 10 ms.
TEST(DriftingClock, AWarmUpEndsWhatRestBrought) {
  int right = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<Finalist> finalists = three();
    for (Finalist& f : finalists) f.explored_us *= 10;
    DriftingDevice device(seed);
    PairedRounds rounds;
    for (std::size_t round = 0; round < kRounds; ++round) {
      const RoundPlan plan = plan_round(finalists, 1, round, true);
      double spent_us = 0;
      std::vector<float> samples;
      for (const std::size_t i : plan.places) {
        samples.push_back(device.sample(10 * kTruth[i], spent_us < 10e3 ? 0 : 0.8));
        spent_us += double{samples.back()};
      }
      rounds.count(finalists, plan, samples);
      settle_losers(finalists);
    }
    right += is_right(finalists) ? 1 : 0;
  }
  EXPECT_GE(right, 98);
}

// Raw samples, in orders that the coordinator and the device both rotated: with two finalists left, the order never
// changes.
TEST(DriftingClock, SamplesAsTheyWereTakenMislead) {
  const Sessions former = simulate([](std::vector<Finalist>& finalists, DriftingDevice& device) {
    for (int round = 0; round < kRounds; ++round) {
      std::vector<std::size_t> order;
      for (std::size_t i = 0; i < finalists.size(); ++i)
        if (finalists[i].is_running()) order.push_back(i);
      const auto turns = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(2 * round + 1) % order.size());
      std::rotate(order.begin(), order.begin() + turns, order.end());
      const std::vector<float> samples = run_round(device, order, round);
      for (std::size_t k = 0; k < order.size(); ++k) finalists[order[k]].samples_us.push_back(samples[k]);
      settle_losers(finalists);
    }
  });
  EXPECT_LT(former.right, 50);
  EXPECT_GT(former.worst_ratio_error, 0.1);
}

// Without drift there is no loss: samples and levels give the same order, and equal configurations stay tied.
TEST(DriftingClock, ASteadyDeviceCertifiesAsBefore) {
  int told_apart = 0, ties = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const double other : {101.0, 100.0}) {
      std::vector<Finalist> finalists{finalist(100, 64, true), finalist(other, 16)};
      const double truth[] = {100, other};
      DriftingDevice device(seed);
      PairedRounds rounds;
      for (std::size_t round = 0; round < kRounds; ++round) {
        const RoundPlan plan = plan_round(finalists, 0, round);
        std::vector<float> samples;
        for (const std::size_t i : plan.places) samples.push_back(device.sample(truth[i], 0));
        rounds.count(finalists, plan, samples);
      }
      const std::size_t tied = decide(finalists)->tie_set.size();
      told_apart += other > 100 && tied == 1 ? 1 : 0;
      ties += other == 100 && tied == 2 ? 1 : 0;
    }
  EXPECT_EQ(told_apart, 100);
  EXPECT_GE(ties, 80) << "the first of two equals is the faster by chance, which one test in ten believes";
}

} // namespace
} // namespace warptune
