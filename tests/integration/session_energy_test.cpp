// Sessions that measure energy or minimise it: on the toy device, A=4, B=4 is the fastest (40 us, 14 mJ), and A=8, B=3
// needs the least energy (44.3 us, 13.3 mJ).
#include "support/session_fixture.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class SessionEnergy : public test::SessionFixture {
 protected:
  std::map<std::string, PowerReading> readings(RowId session) {
    std::map<std::string, PowerReading> all;
    for (const auto& [config, trial] : trials(session))
      if (trial.power) all.emplace(config, *trial.power);
    return all;
  }
};

TEST_F(SessionEnergy, NoneUnlessAskedFor) {
  options_.device = "toy:power/exit";
  const SessionResult r = tuned();
  EXPECT_TRUE(readings(r.session).empty());
  EXPECT_EQ(r.best.energy_mj, 0);
  EXPECT_TRUE(r.best.pareto.empty());
  EXPECT_FALSE(r.power);
}

TEST_F(SessionEnergy, OfTheFinalistsOfASearchByTime) {
  options_.energy = true;
  const SessionResult r = tuned();
  EXPECT_EQ(r.best.config, "A=4,B=4,C=0");
  EXPECT_NEAR(r.best.energy_mj, 14, 0.03);
  ASSERT_TRUE(r.power);
  EXPECT_NEAR(r.power->average_w, 350, 0.01);
  EXPECT_EQ(r.power->throttle_reasons, 4u);
  const auto all = readings(r.session);
  EXPECT_EQ(all.count("A=4,B=4,C=0"), 1u);
  EXPECT_EQ(all.count("A=1,B=1,C=0"), 1u) << "the default";
  EXPECT_LT(all.size(), 12u);
  ASSERT_EQ(best().size(), 1u);
  EXPECT_NEAR(best()[0].energy_mj, r.best.energy_mj, 1e-9);
  EXPECT_EQ(best()[0].pareto.size(), r.best.pareto.size());
}

TEST_F(SessionEnergy, TheFrugalOneWins) {
  options_.objective = Objective::energy;
  const SessionResult r = tuned();
  EXPECT_EQ(r.best.config, "A=8,B=3,C=0");
  EXPECT_TRUE(r.best.certified);
  EXPECT_EQ(r.best.objective, Objective::energy);
  EXPECT_NEAR(r.best.energy_mj, 13.3, 0.05);
  EXPECT_NEAR(r.best.median_us, 44.35, 0.1);
  EXPECT_THAT(r.best.outcome, HasSubstr("x less energy than the default"));
  // The fastest comes first, the one with the least energy last.
  ASSERT_GE(r.best.pareto.size(), 2u);
  EXPECT_THAT(r.best.pareto.front().config, HasSubstr("A=4,B=4"));
  EXPECT_THAT(r.best.pareto.back().config, HasSubstr("A=8,B=3"));
  ASSERT_EQ(best().size(), 1u);
  EXPECT_EQ(best()[0].objective, Objective::energy);
}

TEST_F(SessionEnergy, OnlyThoseNearTheBestAreReadAgain) {
  options_.objective = Objective::energy;
  const auto all = readings(tuned().session);
  const auto least_of = [&](double PowerReading::*member) {
    double least = all.begin()->second.*member;
    for (const auto& [_, reading] : all) least = std::min(least, reading.*member);
    return least;
  };
  const double once = least_of(&PowerReading::window_ms), best = least_of(&PowerReading::energy_mj);
  int again = 0;
  for (const auto& [config, reading] : all) {
    if (reading.window_ms < 1.5 * once || config == "A=1,B=1,C=0") continue; // the default is always measured again
    ++again;
    EXPECT_LE(reading.energy_mj, 1.06 * best) << config;
  }
  EXPECT_GE(again, 1);
  EXPECT_LE(again, options_.finalists);
}

TEST_F(SessionEnergy, TheProductPrefersTheFast) {
  options_.objective = Objective::edp;
  EXPECT_EQ(tuned().best.config, "A=4,B=4,C=0");
}

TEST_F(SessionEnergy, ADeviceWithoutAMeterCostsANote) {
  options_.device = "toy:power/unknown";
  options_.objective = Objective::energy;
  const SessionResult r = tuned();
  EXPECT_EQ(r.best.config, "A=4,B=4,C=0");
  EXPECT_FALSE(r.best.certified);
  EXPECT_EQ(r.best.energy_mj, 0);
  EXPECT_THAT(r.notes, Contains("the energy per launch is not known: the toy has no meter; the fastest configuration "
                                "was chosen instead, and is not certified"));
  EXPECT_EQ(state(r.session), SessionState::finished);
}

TEST_F(SessionEnergy, AFinalistThatDiesMeanwhileIsOut) {
  options_.device = "toy:power/exit/A=8,B=3,C=0";
  options_.objective = Objective::energy;
  const SessionResult r = tuned();
  EXPECT_EQ(r.best.config, "A=8,B=3,C=1");
  const Trial out = trials(r.session).at("A=8,B=3,C=0");
  EXPECT_EQ(out.status, TrialStatus::crashed);
  EXPECT_THAT(out.evidence, HasSubstr("while its energy was measured"));
}

TEST_F(SessionEnergy, OneAccidentIsNotTheFinalistsDoing) {
  options_.device = "toy:power/once exit/A=8,B=3,C=0";
  options_.objective = Objective::energy;
  EXPECT_EQ(tuned().best.config, "A=8,B=3,C=0");
}

TEST_F(SessionEnergy, OnlyTheSameObjectiveIsResumed) {
  options_.objective = Objective::energy;
  on_progress = [this](const Progress& p) { stop_ = p.phase == "measuring energy" && p.done > 3; };
  const SessionResult stopped = tuned();
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(state(stopped.session), SessionState::interrupted);
  EXPECT_TRUE(best().empty());
  on_progress = [](const Progress&) {};
  stop_ = false;
  options_.resume = true;
  options_.objective = Objective::edp;
  const SessionResult other = tuned();
  EXPECT_NE(other.session, stopped.session);
  EXPECT_THAT(other.notes, Contains(HasSubstr("the objective (energy then, edp now)")));
  options_.objective = Objective::energy;
  const SessionResult resumed = tuned();
  EXPECT_EQ(resumed.session, stopped.session);
  EXPECT_EQ(resumed.measured, 0);
  EXPECT_EQ(resumed.best.config, "A=8,B=3,C=0");
  const SessionResult again = tuned();
  EXPECT_TRUE(again.known);
  ASSERT_TRUE(again.power);
  EXPECT_NEAR(again.power->energy_mj, again.best.energy_mj, 1e-9);
}

TEST_F(SessionEnergy, ARecordingWithEnergyIsReplayed) {
  Recording recording = test::toy_recording(kernel_, test::toy_problem(kernel_));
  for (Trial& t : recording.trials)
    if (t.timing && t.timing->median_us < 46) t.power = test::toy_power(t.config, 7, 0.4);
  replay(recording);
  options_.objective = Objective::energy;
  const SessionResult r = tuned();
  EXPECT_EQ(r.best.config, "A=8,B=3,C=0");
  EXPECT_NEAR(r.best.energy_mj, 13.3, 0.05);
  EXPECT_THAT(r.best.outcome, HasSubstr("the default's energy is not known"));
}

TEST_F(SessionEnergy, ARecordingWithoutEnergySaysSo) {
  replay(test::toy_recording(kernel_, test::toy_problem(kernel_)));
  options_.energy = true;
  const SessionResult r = tuned();
  EXPECT_THAT(
      r.notes,
      Contains(HasSubstr(
          "the recording of toy contains no energy measurements; record a session that was tuned with --energy")));
  EXPECT_TRUE(r.best.certified) << "time was what counted";
}

} // namespace
} // namespace warptune
