// Counters within a session: which trials get them, when, and the cost on a device without counters.
#include "support/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace warptune {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

class SessionProfiles : public test::SessionFixture {
 protected:
  SessionProfiles() { options_.metrics = "lean"; }
  std::vector<std::string> profiled(RowId session) {
    std::vector<std::string> configs;
    for (const auto& [config, trial] : trials(session))
      if (trial.profile) configs.push_back(config);
    return configs;
  }
};

TEST_F(SessionProfiles, NoneUnlessAskedFor) { EXPECT_TRUE(profiled(tuned().session).empty()); }

TEST_F(SessionProfiles, OfTheWinnerAndTheDefault) {
  options_.profile = ProfileScope::best;
  const SessionResult r = tuned();
  EXPECT_EQ(r.profiled, 2);
  EXPECT_EQ(profiled(r.session), (std::vector<std::string>{r.best.default_config, r.best.config}));
  const Profile profile = *trials(r.session).at(r.best.config).profile;
  EXPECT_EQ(profile.source, "toy counters");
  EXPECT_TRUE(profile.counters.contains("lean"));
  EXPECT_TRUE(profile.cold_l2);
}

TEST_F(SessionProfiles, OfAllThatAreCorrectAfterEverythingWasTimed) {
  options_.profile = ProfileScope::all;
  options_.device = "toy:evaluate/wrong/A=2,B=3,C=1";
  std::vector<std::string> phases;
  on_progress = [&](const Progress& p) {
    if (phases.empty() || phases.back() != p.phase) phases.push_back(p.phase);
  };
  const SessionResult r = tuned();
  EXPECT_EQ(r.profiled, 41);
  EXPECT_EQ(phases.back(), "counting");
  EXPECT_THAT(profiled(r.session), Not(Contains("A=2,B=3,C=1")));
}

TEST_F(SessionProfiles, AreAddedToASessionThatIsFinished) {
  const SessionResult first = tuned();
  options_.resume = true;
  options_.profile = ProfileScope::all;
  const SessionResult second = tuned();
  EXPECT_EQ(second.session, first.session);
  EXPECT_EQ(second.measured, 0);
  EXPECT_EQ(profiled(first.session).size(), 42U);
  EXPECT_EQ(tuned().profiled, 0) << "they are there";
}

TEST_F(SessionProfiles, ADeviceThatDeniesThemIsANote) {
  options_.profile = ProfileScope::all;
  options_.device = "toy:profile/denied";
  const SessionResult r = tuned();
  EXPECT_EQ(state(r.session), SessionState::finished);
  EXPECT_TRUE(r.best.certified);
  EXPECT_THAT(r.notes, Contains(HasSubstr("no counters were read: the toy keeps its counters to itself")));
  EXPECT_TRUE(profiled(r.session).empty());
}

TEST_F(SessionProfiles, OneThatTakesTheProcessWithItIsLeftOut) {
  options_.profile = ProfileScope::all;
  options_.device = "toy:profile/segv/A=2,B=3,C=1";
  std::set<std::int64_t> done;
  std::int64_t total = 0;
  on_progress = [&](const Progress& p) {
    if (p.phase != "counting" || p.done == 0) return;
    done.insert(p.done);
    total = p.total;
  };
  const SessionResult r = tuned();
  EXPECT_EQ(r.profiled, 41);
  EXPECT_GT(total, 0);
  ASSERT_FALSE(done.empty());
  EXPECT_EQ(static_cast<std::int64_t>(done.size()), total - *done.begin() + 1)
      << "after the first request, progress is shown for each, also for the one that fails";
  EXPECT_THAT(r.notes, Contains(HasSubstr("counters could not be read for 1 of 40 configurations")));
  EXPECT_THAT(profiled(r.session), Not(Contains("A=2,B=3,C=1")));
}

TEST_F(SessionProfiles, ADeviceThatAlwaysFailsIsGivenUp) {
  options_.profile = ProfileScope::all;
  options_.device = "toy:profile/segv";
  const SessionResult r = tuned();
  EXPECT_EQ(state(r.session), SessionState::finished);
  EXPECT_EQ(r.profiled, 0);
  EXPECT_THAT(r.notes, Contains(HasSubstr("reading counters failed repeatedly")));
}

TEST_F(SessionProfiles, WhatWasStoppedGoesOn) {
  options_.profile = ProfileScope::all;
  on_progress = [&](const Progress& p) { stop_ = stop_ || p.phase == "counting"; };
  const SessionResult first = tuned();
  EXPECT_TRUE(first.interrupted);
  EXPECT_EQ(first.profiled, 0);
  EXPECT_EQ(state(first.session), SessionState::interrupted);
  EXPECT_EQ(best().size(), 1U) << "certified before";
  stop_ = false;
  on_progress = [](const Progress&) {};
  options_.resume = true;
  const SessionResult second = tuned();
  EXPECT_EQ(second.session, first.session);
  EXPECT_EQ(second.profiled, 42);
  EXPECT_EQ(second.measured, 0);
  EXPECT_EQ(profiled(first.session).size(), 42U);
}

TEST_F(SessionProfiles, AReplayHasThoseThatWereRecorded) {
  Recording recording = test::toy_recording(kernel_, test::toy_problem(kernel_));
  options_.profile = ProfileScope::all;
  replay(recording);
  EXPECT_THAT(tuned().notes, Contains(HasSubstr("contains no counters")));
  for (Trial& trial : recording.trials)
    if (trial.status == TrialStatus::ok) trial.profile = Profile{{{"dram__bytes_read.sum", 7}}, "CUPTI 13.0", 1, true};
  replay(recording);
  options_.database = dir_ / "other.db";
  const SessionResult r = tuned();
  EXPECT_EQ(profiled(r.session).size(), 40U);
  EXPECT_EQ(trials(r.session).at(r.best.config).profile->counters.at("dram__bytes_read.sum"), 7);
}

} // namespace
} // namespace warptune
