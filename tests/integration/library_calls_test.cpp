// An operator with library calls among its implementations, through whole sessions.
#include "support/session_fixture.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class LibraryCallSession : public test::SessionFixture {
 protected:
  LibraryCallSession() { kernel_ = test::toy_kernel("duplicate"); }
};

// By the toy's formula, the implementation of odd number, copy, is the fastest.
TEST_F(LibraryCallSession, AreTunedResumedAndNamed) {
  const SessionResult r = tuned();
  EXPECT_EQ(r.space_size, 21 + 1 + 2);
  EXPECT_EQ(r.measured, r.space_size);
  EXPECT_EQ(r.best.config, "implementation=copy");
  EXPECT_EQ(r.best.default_config, "implementation=plain,A=1,B=1");
  EXPECT_TRUE(r.best.certified);
  EXPECT_THAT(r.notes, Contains(HasSubstr("calls driver.copy")));
  options_.resume = true;
  const SessionResult again = tuned();
  EXPECT_TRUE(again.known);
  EXPECT_EQ(again.best.config, r.best.config);
}

TEST_F(LibraryCallSession, AsABaselineTheyTakePartWhateverIsProposed) {
  options_.strategy = "random";
  options_.budget = *parse_budget("4");
  options_.baseline = true;
  const SessionResult r = tuned();
  EXPECT_EQ(trials(r.session).count("implementation=copy"), 1u);
  EXPECT_THAT(r.best.outcome,
              AllOf(HasSubstr("the fastest configuration without library calls has 0."), HasSubstr("x its speed ("),
                    HasSubstr(" us): implementation=plain,"), Not(HasSubstr("1.000x the speed of"))))
      << "a comparison of the winner with itself says nothing";
  const auto stored = Reader::open(options_.database)->best_of_session(r.session);
  ASSERT_TRUE(stored && *stored);
  EXPECT_EQ((*stored)->baseline, "implementation=copy");
  EXPECT_DOUBLE_EQ((*stored)->baseline_us, r.best.median_us);
  EXPECT_THAT((*stored)->without_calls, HasSubstr("implementation=plain,"));
  EXPECT_GT((*stored)->without_calls_us, r.best.median_us);
  EXPECT_EQ((*stored)->rounds.front().baseline_us, (*stored)->rounds.front().winner_us);
  std::vector<std::string> finalists;
  std::vector<double> times;
  for (const FinalTime& finalist : (*stored)->finalists) {
    finalists.push_back(finalist.config);
    times.push_back(finalist.median_us);
  }
  ASSERT_THAT(finalists, AllOf(testing::Contains("implementation=copy"), testing::Contains((*stored)->without_calls),
                               testing::Contains(testing::StartsWith("implementation=cleared,"))));
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  const auto time_of = [&](const std::string& config) {
    return times[static_cast<std::size_t>(std::find(finalists.begin(), finalists.end(), config) - finalists.begin())];
  };
  EXPECT_DOUBLE_EQ(time_of("implementation=copy"), r.best.median_us);
  EXPECT_DOUBLE_EQ(time_of((*stored)->without_calls), (*stored)->without_calls_us);
}

TEST_F(LibraryCallSession, TheFastestKernelTakesPartInTheFinals) {
  options_.finalists = 1;
  const SessionResult r = tuned();
  ASSERT_EQ(r.best.config, "implementation=copy");
  std::string fastest;
  double us = 0;
  for (const auto& [config, trial] : trials(r.session))
    if (config.starts_with("implementation=plain,") && trial.timing && trial.timing->complete &&
        (us == 0 || trial.timing->median_us < us))
      fastest = config, us = trial.timing->median_us;
  EXPECT_EQ(r.best.without_calls, fastest);
  EXPECT_NE(fastest, r.best.default_config);
}

TEST_F(LibraryCallSession, KeepTheVersionOfTheLibrary) {
  options_.device = "toy:device/library cublaslt 13.1";
  const RowId first = tuned().session;
  const auto reader = Reader::open(options_.database);
  EXPECT_EQ(reader->sessions()->front().identity.compiler, "none; cublaslt 13.1");
  EXPECT_EQ(reader->devices()->front().compiler, "none");
  options_.resume = true;
  EXPECT_EQ(tuned().session, first);
  options_.device = "toy:device/library cublaslt 13.2";
  EXPECT_NE(tuned().session, first) << "another library is another session";
}

TEST_F(LibraryCallSession, AreReplayed) {
  replay(test::toy_recording(kernel_, test::toy_problem(kernel_)));
  EXPECT_EQ(tuned().best.config, "implementation=copy");
}

} // namespace
} // namespace warptune
