// Decisions by energy and by energy x time, and the set of trade-offs between both.
#include "tuner/energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Energies around `mj` that vary by up to 0.5 % from round to round, in the same way for all finalists.
Finalist finalist(ConfigIndex index, double us, double mj, bool is_default = false, int readings = 5) {
  Finalist f;
  f.index = index;
  f.config = {index};
  f.is_default = is_default;
  f.compiled.resources.registers = 32;
  for (int i = 0; i < 15; ++i) f.samples_us.push_back(static_cast<float>(us * (1 + 1e-4 * (i % 3))));
  for (int i = 0; i < readings; ++i)
    f.energy_mj.push_back(static_cast<float>(mj * (1 + 0.005 * ((i * 3 + static_cast<int>(index)) % 5 - 2) / 2)));
  return f;
}

TEST(DecideByEnergy, TheFrugalOneThoughItIsSlower) {
  const std::vector<Finalist> f{finalist(0, 20, 10, true), finalist(1, 10, 8), finalist(2, 11, 6)};
  EXPECT_EQ(decide(f)->winner, 1u);
  const auto d = decide(f, Objective::energy);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->winner, 2u);
  EXPECT_TRUE(d->certified);
  EXPECT_NEAR(d->median_us, 11, 0.01);
  EXPECT_NEAR(d->default_us, 20, 0.01);
  EXPECT_LT(d->p_value, 0.05);
  EXPECT_THAT(d->outcome, HasSubstr("1.67x less energy than the default (p = 0.031)"));
}

TEST(DecideByEnergy, TheProductWeighsBoth) {
  const std::vector<Finalist> f{finalist(0, 20, 10, true), finalist(1, 10, 8), finalist(2, 15, 6)};
  EXPECT_EQ(decide(f, Objective::energy)->winner, 2u);
  EXPECT_EQ(decide(f, Objective::edp)->winner, 1u);
  EXPECT_THAT(decide(f, Objective::edp)->outcome, HasSubstr("2.50x less energy x time than the default"));
}

TEST(DecideByEnergy, TheDefaultStaysUnlessItIsBeaten) {
  const std::vector<Finalist> f{finalist(0, 20, 8.001, true), finalist(1, 10, 8)};
  const auto d = decide(f, Objective::energy);
  EXPECT_EQ(d->winner, 0u) << "faster does not count";
  EXPECT_THAT(d->outcome, HasSubstr("so the default wins"));
  EXPECT_THAT(d->tie_set, ElementsAre(0, 1));
}

TEST(DecideByEnergy, WhoLeftEarlyIsNotJudged) {
  const std::vector<Finalist> f{finalist(0, 20, 10, true), finalist(1, 10, 8), finalist(2, 10, 9, false, 1),
                                finalist(3, 10, 1, false, 0)};
  const auto d = decide(f, Objective::energy);
  EXPECT_EQ(d->winner, 1u);
  EXPECT_THAT(d->tie_set, ElementsAre(1));
}

TEST(DecideByEnergy, TooFewReadingsCertifyNothing) {
  const std::vector<Finalist> f{finalist(0, 20, 10, true, 1), finalist(1, 10, 5, false, 1)};
  const auto d = decide(f, Objective::energy);
  EXPECT_EQ(d->winner, 0u);
  EXPECT_FALSE(d->certified);
  EXPECT_THAT(d->outcome, HasSubstr("too few rounds"));
}

TEST(DecideByEnergy, ADefaultWithoutAReading) {
  const std::vector<Finalist> f{finalist(0, 20, 10, true, 0), finalist(1, 10, 5)};
  const auto d = decide(f, Objective::energy);
  EXPECT_EQ(d->winner, 1u);
  EXPECT_EQ(d->default_us, 0);
  EXPECT_THAT(d->outcome, HasSubstr("the default's energy is not known"));
  EXPECT_FALSE(decide(std::vector<Finalist>{finalist(0, 20, 10, true, 0)}, Objective::energy));
}

TEST(ChooseFinalists, EnergyLooksFurther) {
  TrialBook book;
  for (const auto& [index, us] : std::map<ConfigIndex, double>{{0, 30}, {1, 10}, {2, 10.4}, {3, 12}, {4, 13}}) {
    book[index].status = TrialStatus::ok;
    book[index].timing.emplace().median_us = us;
  }
  EXPECT_THAT(choose_finalists(book, 0, 8), ElementsAre(1, 2, 0));
  EXPECT_THAT(choose_finalists(book, 0, 8, Objective::energy), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(choose_finalists(book, 0, 1, Objective::edp), ElementsAre(1, 2, 3, 0));
}

TEST(ParetoSet, FromFastToSlowWithoutTheDominated) {
  const std::vector<Finalist> f{finalist(0, 20, 10, true), finalist(1, 12, 6), finalist(2, 10, 8), finalist(3, 12.5, 6),
                                finalist(4, 15, 5)};
  EXPECT_THAT(pareto_set(f), ElementsAre(2, 1, 4));
}

TEST(ParetoSet, EqualsStandTogether) {
  std::vector<Finalist> f{finalist(0, 10, 8), finalist(0, 10, 8), finalist(0, 10, 8.1), finalist(0, 10.1, 8)};
  EXPECT_THAT(pareto_set(f), ElementsAre(0, 1));
}

TEST(ParetoSet, OnlyWhoIsInAndMeasured) {
  std::vector<Finalist> f{finalist(0, 10, 8), finalist(1, 9, 7, false, 0)};
  EXPECT_THAT(pareto_set(f), ElementsAre(0));
  f[0].status = TrialStatus::crashed;
  EXPECT_THAT(pareto_set(f), IsEmpty());
  EXPECT_THAT(pareto_set({}), IsEmpty());
}

} // namespace
} // namespace warptune
