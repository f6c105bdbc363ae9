// Whole sessions without a GPU: replayed from a recording, and on a toy device with chosen faults.
#include "core/text.h"
#include "support/session_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Sessions = test::SessionFixture;

TEST_F(Sessions, ReplayFindsTheBestAndStoresIt) {
  replay(test::toy_recording(kernel_, test::toy_problem(kernel_)));
  const SessionResult r = tuned();
  EXPECT_EQ(r.space_size, 42);
  EXPECT_EQ(r.measured, 42);
  EXPECT_EQ(r.reused, 0);
  EXPECT_EQ(r.by_status.at(TrialStatus::ok), 40);
  EXPECT_EQ(r.by_status.at(TrialStatus::compile_failed), 1);
  EXPECT_EQ(r.by_status.at(TrialStatus::wrong_result), 1);
  EXPECT_EQ(r.best.config, "A=4,B=4,C=0");
  EXPECT_EQ(r.best.default_config, "A=1,B=1,C=0");
  EXPECT_TRUE(r.best.certified);
  EXPECT_LT(r.best.p_value, 0.05);
  EXPECT_THAT(r.best.outcome, HasSubstr("x faster than the default"));
  EXPECT_THAT(r.best.checks, HasSubstr("a recorded device cannot check other data"));
  EXPECT_GT(r.roofline.share, 0);
  EXPECT_THAT(r.notes, Contains(HasSubstr("recorded, not measured now")));
  ASSERT_EQ(best().size(), 1u);
  EXPECT_EQ(best()[0].config, r.best.config);
  EXPECT_EQ(state(r.session), SessionState::finished);
  const auto all = trials(r.session);
  ASSERT_EQ(all.size(), 42u);
  EXPECT_EQ(all.at("A=2,B=3,C=1").evidence, "kernel.cu(2): error: no such luck");
  const auto reader = Reader::open(options_.database);
  EXPECT_TRUE(*reader->kernel("toy"));
}

TEST_F(Sessions, TimesOfOtherSourcesCertifyNothing) {
  Recording other = test::toy_recording(kernel_, test::toy_problem(kernel_));
  other.source_hash = std::string(64, 'a');
  replay(other);
  const SessionResult r = tuned();
  EXPECT_EQ(r.best.config, "A=4,B=4,C=0");
  EXPECT_THAT(r.notes, Contains(HasSubstr("from other sources of toy")));
  ASSERT_EQ(best().size(), 1u);
  EXPECT_FALSE(best()[0].certified);
  EXPECT_THAT(best()[0].checks, HasSubstr("a recording made from different sources of the kernel"));
  EXPECT_THAT(best()[0].outcome, HasSubstr("the times were recorded with other sources"));
}

// An imported recording names no sources, so nothing is known about whether they differ.
TEST_F(Sessions, TimesOfUnknownSourcesCertifyNothing) {
  Recording imported = test::toy_recording(kernel_, test::toy_problem(kernel_));
  imported.source_hash = kSourcesNotKnown;
  replay(imported);
  const SessionResult r = tuned();
  EXPECT_THAT(r.notes, Contains(HasSubstr("does not name the sources of toy")));
  ASSERT_EQ(best().size(), 1u);
  EXPECT_FALSE(best()[0].certified);
  EXPECT_THAT(best()[0].checks, HasSubstr("a recording that does not name the sources of the kernel"));
  EXPECT_THAT(best()[0].outcome, HasSubstr("the recording of the times does not name the sources"));
  EXPECT_THAT(best()[0].outcome + best()[0].checks, Not(HasSubstr("other sources")));
}

TEST_F(Sessions, LongEvidenceIsCutBetweenCharacters) {
  options_.device = "toy:compile/complain/A=1,B=3,C=0";
  const std::string evidence = trials(tuned().session).at("A=1,B=3,C=0").evidence;
  EXPECT_THAT(evidence, HasSubstr("more characters"));
  EXPECT_LT(evidence.size(), 3100U);
  EXPECT_EQ(find_invalid_utf8(evidence), std::string::npos);
}

TEST_F(Sessions, SameSeedSameResult) {
  replay(test::toy_recording(kernel_, test::toy_problem(kernel_)));
  options_.strategy = "random";
  options_.budget = *parse_budget("10");
  const SessionResult a = tuned();
  options_.database = dir_ / "other.db";
  options_.compile_workers = 1;
  const SessionResult b = tuned();
  EXPECT_EQ(a.measured, 10);
  EXPECT_EQ(a.best.config, b.best.config);
  EXPECT_DOUBLE_EQ(a.best.median_us, b.best.median_us);
  const auto of_b = trials(b.session);
  options_.database = dir_ / "t.db";
  const auto of_a = trials(a.session);
  ASSERT_EQ(of_a.size(), of_b.size());
  EXPECT_TRUE(std::equal(of_a.begin(), of_a.end(), of_b.begin(),
                         [](const auto& x, const auto& y) { return x.first == y.first; }));
  EXPECT_TRUE(of_a.count("A=1,B=1,C=0")) << "the default is always measured";
}

TEST_F(Sessions, WhatTheRecordingLacksIsInvalid) {
  Recording part = test::toy_recording(kernel_, test::toy_problem(kernel_));
  part.trials.resize(30);
  replay(part);
  const SessionResult r = tuned();
  EXPECT_EQ(r.by_status.at(TrialStatus::invalid), 12);
  EXPECT_EQ(trials(r.session).at("A=8,B=3,C=1").evidence, "not in the recording");
}

TEST_F(Sessions, ReplayOfSomethingElse) {
  replay(test::toy_recording(kernel_, test::toy_problem(kernel_, "n=4096")));
  const auto r = tune();
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(r.error().message, HasSubstr("the nearest is n=4096;fp32"));
  options_.device = "replay:/nowhere.json";
  EXPECT_EQ(tune().error().kind, ErrorKind::bad_input);
}

TEST_F(Sessions, FaultsAreTrialsAndTheSweepGoesOn) {
  options_.device =
      "toy:compile/segv/A=1,B=2,C=0;compile/fail/A=1,B=3,C=0;compile/hang/A=1,B=4,C=0;evaluate/segv/A=2,B=2,C=0;"
      "evaluate/hang/A=2,B=3,C=0;evaluate/talk/A=2,B=4,C=0;evaluate/fatal/A=2,B=5,C=0;evaluate/wrong/A=2,B=6,C=0;"
      "evaluate/throw/A=4,B=1,C=0;evaluate/garbage/A=4,B=2,C=0;evaluate/once sigkill/A=4,B=3,C=0";
  options_.compile_timeout_s = 0.3;
  options_.evaluate_timeout_s = 1;
  const SessionResult r = tuned();
  const auto all = trials(r.session);
  ASSERT_EQ(all.size(), 42u);
  EXPECT_EQ(all.at("A=1,B=2,C=0").status, TrialStatus::crashed);
  EXPECT_EQ(all.at("A=1,B=3,C=0").status, TrialStatus::compile_failed);
  EXPECT_EQ(all.at("A=1,B=4,C=0").status, TrialStatus::timed_out);
  EXPECT_EQ(all.at("A=2,B=2,C=0").status, TrialStatus::crashed);
  EXPECT_THAT(all.at("A=2,B=2,C=0").evidence, HasSubstr("signal 11"));
  EXPECT_EQ(all.at("A=2,B=3,C=0").status, TrialStatus::timed_out);
  EXPECT_THAT(all.at("A=2,B=4,C=0").evidence, HasSubstr("the last words"));
  EXPECT_EQ(all.at("A=2,B=5,C=0").status, TrialStatus::launch_failed);
  EXPECT_EQ(all.at("A=2,B=6,C=0").status, TrialStatus::wrong_result);
  EXPECT_EQ(all.at("A=4,B=1,C=0").status, TrialStatus::crashed);
  EXPECT_EQ(all.at("A=4,B=2,C=0").status, TrialStatus::crashed);
  EXPECT_EQ(all.at("A=4,B=3,C=0").status, TrialStatus::ok) << "killed from outside once: evaluated again";
  EXPECT_EQ(r.by_status.at(TrialStatus::ok), 42 - 10);
  EXPECT_EQ(r.best.config, "A=4,B=4,C=0");
}

TEST_F(Sessions, WinnersThatFailTheirChecksAreDisqualified) {
  options_.device = "toy:check/wrong/A=4,B=4,C=0;check/segv/A=4,B=4,C=1";
  const SessionResult r = tuned();
  EXPECT_NE(r.best.config.substr(0, 7), "A=4,B=4");
  EXPECT_EQ(r.by_status.at(TrialStatus::wrong_result), 1);
  EXPECT_EQ(r.by_status.at(TrialStatus::crashed), 1);
  EXPECT_THAT(r.notes, Contains(HasSubstr("A=4,B=4,C=0 was disqualified: checked as the winner")));
  EXPECT_THAT(r.best.checks, HasSubstr("correct with 2 further seeds and on 2 ragged shapes"));
  const auto all = trials(r.session);
  EXPECT_EQ(all.at("A=4,B=4,C=0").status, TrialStatus::wrong_result);
  EXPECT_THAT(all.at("A=4,B=4,C=0").evidence, HasSubstr("y[5] is 9"));
}

// With one finalist and the default, the default is all that is left of the first finals.
TEST_F(Sessions, AfterADisqualificationNewFinalsAreHeldIfAFasterTrialWasNotInThem) {
  options_.device = "toy:check/wrong/A=4,B=4,C=0;check/wrong/A=4,B=4,C=1";
  options_.finalists = 1;
  const SessionResult r = tuned();
  EXPECT_THAT(r.best.config, AnyOf(StartsWith("A=4,B=3"), StartsWith("A=4,B=5"))) << "the fastest of the others";
  EXPECT_TRUE(r.best.certified);
  EXPECT_EQ(r.by_status.at(TrialStatus::wrong_result), 2);
}

// Each finals of one finalist and the default disqualify one configuration. After four, the default is good enough.
TEST_F(Sessions, FinalsAreNotRepeatedForEver) {
  options_.device =
      "toy:check/wrong/A=4,B=4,C=0;check/wrong/A=4,B=4,C=1;check/wrong/A=4,B=3,C=0;check/wrong/A=4,B=3,C=1;"
      "check/wrong/A=4,B=5,C=0;check/wrong/A=4,B=5,C=1";
  options_.finalists = 1;
  const SessionResult r = tuned();
  EXPECT_EQ(r.best.config, r.best.default_config);
  EXPECT_EQ(r.by_status.at(TrialStatus::wrong_result), 4);
}

TEST_F(Sessions, NewFinalsAreAlsoHeldIfAllButTheDefaultDieInTheFirst) {
  options_.device = "toy:round/segv/A=4,B=4,C=0;round/segv/A=4,B=4,C=1";
  options_.finalists = 1;
  EXPECT_THAT(tuned().best.config, AnyOf(StartsWith("A=4,B=3"), StartsWith("A=4,B=5")));
}

TEST_F(Sessions, AFinalistThatDiesIsOutAndTheOthersGoOn) {
  options_.device = "toy:round/segv/A=4,B=4,C=0;round/error/A=4,B=4,C=1";
  const SessionResult r = tuned();
  EXPECT_NE(r.best.config.substr(0, 7), "A=4,B=4");
  EXPECT_TRUE(r.best.certified);
  EXPECT_EQ(r.by_status.at(TrialStatus::crashed), 1);
  EXPECT_EQ(r.by_status.at(TrialStatus::launch_failed), 1);
}

TEST_F(Sessions, WithoutASuiteARaggedShapeIsDerived) {
  kernel_.spec.suites.clear();
  EXPECT_THAT(tuned().best.checks, HasSubstr("on 1 ragged shape (n=1048575;fp32)"));
}

TEST_F(Sessions, LibraryCallsAreNotCheckedOnOtherShapes) {
  kernel_.spec.implementations.front().source.clear();
  const std::string checks = tuned().best.checks;
  EXPECT_THAT(checks,
              HasSubstr("correct with 2 further seeds; no ragged shape was checked, because the library may use"));
}

TEST_F(Sessions, ThrottledRoundsDoNotCount) {
  options_.device = "toy:round/once throttle";
  const SessionResult r = tuned();
  EXPECT_TRUE(r.best.certified);
  EXPECT_THAT(r.notes, Contains(HasSubstr("1 round of the finals was discarded")));
}

TEST_F(Sessions, AtThePowerCapEveryRoundCountsAndIsStoredWithItsClock) {
  options_.device = "toy:round/power cap";
  const SessionResult r = tuned();
  EXPECT_TRUE(r.best.certified);
  EXPECT_THAT(r.notes,
              Contains(HasSubstr("the board was at its power cap in 15 of the 15 rounds of the finals (SM clock "
                                 "1890 to 1965 MHz); the finalists are compared within each round")));
  const auto reader = Reader::open(options_.database);
  ASSERT_TRUE(reader);
  const auto stored = reader->best_of_session(r.session);
  ASSERT_TRUE(stored && *stored);
  ASSERT_EQ((*stored)->rounds.size(), 15U);
  EXPECT_TRUE(any_at_power_cap((*stored)->rounds));
  for (const FinalRound& round : (*stored)->rounds) {
    EXPECT_NEAR(round.winner_us, r.best.median_us, 0.1);
    EXPECT_GT(round.device.sm_clock_mhz, 0);
    EXPECT_EQ(round.device.power_w, 695);
  }
  EXPECT_EQ(clock_text(clocks_of((*stored)->rounds)), "1890 to 1965 MHz");
  EXPECT_GE((*stored)->ci_high_us, (*stored)->median_us * (1 + clock_step_share(1890)));
  EXPECT_LE((*stored)->ci_low_us, (*stored)->median_us / (1 + clock_step_share(1890)));
}

TEST_F(Sessions, NothingCorrectSaysWhy) {
  options_.device = "toy:compile/fail";
  const auto r = tune();
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().kind, ErrorKind::no_candidate);
  EXPECT_THAT(r.error().message, HasSubstr("none of 42 configurations of toy is correct: 42 "));
  EXPECT_THAT(r.error().message, HasSubstr("kernel.cu(7): error: expected a ';'"));
  options_.resume = true; // complete, although without a result: nothing is compiled again
  const auto again = tune();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, r.error().message);
}

TEST_F(Sessions, ADeviceThatCannotBePreparedEndsTheSession) {
  options_.device = "toy:open/error";
  auto r = tune();
  ASSERT_FALSE(r);
  EXPECT_THAT(r.error().message, HasSubstr("cannot prepare toy on the device: out of device memory"));
  options_.device = "toy:open/segv";
  r = tune();
  ASSERT_FALSE(r);
  EXPECT_THAT(r.error().message, HasSubstr("3 new worker processes failed one after another"));
  EXPECT_THAT(r.error().message, HasSubstr("signal 11"));
  options_.device = "toy:device/error";
  EXPECT_EQ(tune().error().kind, ErrorKind::no_device);
  options_.device = "nothing:0";
  EXPECT_EQ(tune().error().kind, ErrorKind::bad_input);
}

TEST_F(Sessions, BadDatabaseAndStrategyAreErrors) {
  options_.strategy = "oracle";
  EXPECT_EQ(tune().error().kind, ErrorKind::bad_input);
  options_.strategy = "exhaustive";
  options_.database = "/proc/nowhere/t.db";
  EXPECT_EQ(tune().error().kind, ErrorKind::database);
}

TEST_F(Sessions, StoppedAndResumedIsTheSameAsUndisturbed) {
  on_progress = [this](const Progress& p) {
    if (p.done == 15) stop_ = true;
  };
  const SessionResult first = tuned();
  EXPECT_TRUE(first.interrupted);
  EXPECT_FALSE(first.best.config.empty());
  EXPECT_TRUE(best().empty()) << "nothing uncertified is stored";
  EXPECT_EQ(state(first.session), SessionState::interrupted);
  const auto before = trials(first.session);
  EXPECT_LT(before.size(), 42u);

  stop_ = false;
  on_progress = [](const Progress&) {};
  options_.resume = true;
  const SessionResult second = tuned();
  EXPECT_FALSE(second.interrupted);
  EXPECT_EQ(second.session, first.session);
  EXPECT_EQ(second.reused, static_cast<std::int64_t>(before.size()));
  EXPECT_EQ(second.reused + second.measured, 42);
  EXPECT_EQ(trials(second.session).size(), 42u);
  EXPECT_EQ(second.best.config, "A=4,B=4,C=0");
  EXPECT_EQ(state(second.session), SessionState::finished);
}

// From the first trial on, candidates are compared with the best of the interrupted run (early stopping).
TEST_F(Sessions, AResumedSessionRacesAgainstWhatIsKnown) {
  options_.device = "toy:evaluate/race";
  options_.strategy = "exhaustive";
  on_progress = [this](const Progress& p) {
    // Stop after the best and its equals, so that all later candidates are slow.
    if (p.last && p.best_us < 41 && p.last->timing->median_us > 1.1 * p.best_us) stop_ = true;
  };
  const SessionResult first = tuned();
  ASSERT_TRUE(first.interrupted);
  const auto before = trials(first.session);
  double known_us = 1e9;
  for (const auto& [config, trial] : before) known_us = std::min(known_us, trial.timing->median_us);
  stop_ = false;
  on_progress = [](const Progress&) {};
  options_.resume = true;
  tuned();
  int slow = 0;
  for (const auto& [config, trial] : trials(first.session)) {
    if (before.count(config) != 0 || trial.timing->median_us < 1.1 * known_us) continue;
    ++slow;
    EXPECT_FALSE(trial.timing->complete) << config;
  }
  EXPECT_GE(slow, 3);
}

TEST_F(Sessions, StoppedInTheFinals) {
  on_progress = [this](const Progress& p) {
    if (p.phase == "certifying" && p.done == 3) stop_ = true;
  };
  EXPECT_TRUE(tuned().interrupted);
  stop_ = false;
  on_progress = [](const Progress&) {};
  options_.resume = true;
  const SessionResult r = tuned();
  EXPECT_EQ(r.measured, 0);
  EXPECT_EQ(r.reused, 42);
  EXPECT_TRUE(r.best.certified);
}

TEST_F(Sessions, ResumingAFinishedOneOnlyReports) {
  const SessionResult first = tuned();
  options_.resume = true;
  const SessionResult again = tuned();
  EXPECT_EQ(again.session, first.session);
  EXPECT_EQ(again.measured, 0);
  EXPECT_EQ(again.reused, 42);
  EXPECT_EQ(again.best.config, first.best.config);
  EXPECT_THAT(again.notes, Contains(HasSubstr("already finished")));
  EXPECT_EQ(best().size(), 1u);
}

TEST_F(Sessions, WithoutResumeAnUnfinishedOneIsMentioned) {
  stop_ = true;
  tuned();
  stop_ = false;
  const SessionResult r = tuned();
  EXPECT_EQ(r.reused, 0);
  EXPECT_THAT(r.notes, Contains(HasSubstr("--resume would continue it")));
  options_.seed = 5;
  options_.resume = true;
  EXPECT_THAT(tuned().notes,
              Contains("nothing was resumed, because the nearest earlier session, 2, differs in the seed (0 then, "
                       "5 now)"));
}

TEST_F(Sessions, WhatKeepsASessionFromBeingResumedIsNamed) {
  options_.resume = true;
  EXPECT_THAT(tuned().notes, Contains("there is no earlier session of toy to resume"));
  kernel_.source_hash = std::string(64, 'b');
  EXPECT_THAT(tuned().notes,
              Contains("nothing was resumed, because the nearest earlier session, 1, differs in the kernel's sources"));
  Recording recording = test::toy_recording(kernel_, test::toy_problem(kernel_));
  replay(recording);
  tuned();
  recording.device.driver = "2.0";
  recording.device.compiler = "some";
  replay(recording);
  EXPECT_THAT(tuned().notes,
              Contains("nothing was resumed, because the nearest earlier session, 3, differs in the driver (1.0 "
                       "then, 2.0 now), the compiler (none then, some now)"));
}

TEST_F(Sessions, ADamagedTrialIsMeasuredAgainOnce) {
  on_progress = [this](const Progress& p) {
    if (p.done == 15) stop_ = true;
  };
  const SessionResult first = tuned();
  const auto whole = trials(first.session).size();
  SQLite::Database db(options_.database.string(), SQLite::OPEN_READWRITE);
  db.exec("PRAGMA ignore_check_constraints = ON; UPDATE trials SET median_us = -1 WHERE id = 3;"
          "UPDATE configs SET text = 'A=' WHERE id = (SELECT config_id FROM trials WHERE id = 4)");
  stop_ = false;
  options_.resume = true;
  on_progress = [this](const Progress& p) {
    if (p.phase == "certifying" && p.done == 3) stop_ = true;
  };
  const SessionResult second = tuned();
  EXPECT_EQ(second.reused, static_cast<std::int64_t>(whole) - 2);
  EXPECT_EQ(trials(first.session).size(), 42u);
  EXPECT_THAT(second.notes, Contains("2 trials of session 1 could not be read and are measured again"));
  stop_ = false;
  on_progress = [](const Progress&) {};
  const SessionResult third = tuned();
  EXPECT_EQ(third.measured, 0);
  EXPECT_EQ(third.reused, 42);
}

// The session is finished, but its result is not valid: the lost trial is measured first, and another winner certified.
TEST_F(Sessions, ADamagedTrialOfAFinishedSessionIsMeasuredAgain) {
  const SessionResult first = tuned();
  {
    SQLite::Database db(options_.database.string(), SQLite::OPEN_READWRITE);
    db.exec("PRAGMA ignore_check_constraints = ON; UPDATE trials SET median_us = -1 WHERE id = 3; DELETE FROM best");
  }
  options_.resume = true;
  const SessionResult second = tuned();
  EXPECT_EQ(second.session, first.session);
  EXPECT_EQ(second.measured, 1);
  EXPECT_EQ(second.reused, 41);
  EXPECT_THAT(second.notes, Contains("1 trial of session 1 could not be read and is measured again"));
  EXPECT_EQ(trials(first.session).size(), 42U);
  EXPECT_EQ(best().size(), 1U);
  EXPECT_EQ(state(first.session), SessionState::finished);
}

TEST_F(Sessions, ProgressCountsUp) {
  std::int64_t last = 0, best_calls = 0;
  on_progress = [&](const Progress& p) {
    if (!p.last) return;
    EXPECT_EQ(p.done, last + 1);
    EXPECT_EQ(p.total, 42);
    last = p.done;
    best_calls += p.best_us > 0;
  };
  tuned();
  EXPECT_EQ(last, 42);
  EXPECT_GT(best_calls, 0);
}

} // namespace
} // namespace warptune
