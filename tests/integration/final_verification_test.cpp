// Kernels that are right for their first launches and wrong later: the rounds do not check later launches, so the
// finalists are verified after the last round.
#include "support/session_fixture.h"
#include "tuner/final_verification.h"

#include <fstream>
#include <gmock/gmock.h>
#include <thread>
#include <unistd.h>

namespace warptune {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

using LateFaults = test::SessionFixture;

TEST_F(LateFaults, AWinnerThatTurnsWrongAfterThreeLaunchesIsOut) {
  options_.device = "toy:launch/wrong after 3/A=4,B=4,C=0";
  const SessionResult r = tuned();
  EXPECT_EQ(r.best.config, "A=4,B=4,C=1") << "its equal, which stays right";
  EXPECT_TRUE(r.best.certified);
  EXPECT_EQ(r.by_status.at(TrialStatus::unstable), 1);
  const Trial wrong = trials(r.session).at("A=4,B=4,C=0");
  EXPECT_EQ(wrong.status, TrialStatus::unstable);
  EXPECT_EQ(wrong.evidence, "after its last round of the finals, on fresh data: y[7] is 5, expected 2");
  EXPECT_THAT(r.notes, Contains(HasSubstr("A=4,B=4,C=0 was disqualified: after its last round")));
  std::vector<std::string> finalists;
  const std::vector<BestRecord> results = best();
  for (const FinalTime& finalist : results.at(0).finalists) finalists.push_back(finalist.config);
  EXPECT_THAT(finalists, AllOf(Contains("A=4,B=4,C=1"), Not(Contains("A=4,B=4,C=0"))));
}

TEST_F(LateFaults, OneThatIsWrongFromTheLastLaunchOnIsOut) {
  options_.device = "toy:verify/wrong/A=4,B=4,C=0";
  EXPECT_EQ(tuned().best.config, "A=4,B=4,C=1");
}

// The finals are repeated with the remaining configurations until some are right.
TEST_F(LateFaults, WhereAllFinalistsTurnWrongTheNextAreCertified) {
  options_.finalists = 2;
  options_.device = "toy:launch/wrong after 3/A=4,B=4,C=0;launch/wrong after 3/A=4,B=4,C=1;"
                    "launch/wrong after 3/A=1,B=1,C=0"; // the default
  const SessionResult r = tuned();
  EXPECT_TRUE(r.best.certified);
  EXPECT_EQ(r.by_status.at(TrialStatus::unstable), 3);
  EXPECT_THAT(r.best.config, Not(HasSubstr("A=4,B=4")));
}

TEST_F(LateFaults, OneThatEndsTheProcessIsOutAndTheOthersGoOn) {
  options_.device = "toy:verify/segv/A=4,B=4,C=0";
  const SessionResult r = tuned();
  EXPECT_EQ(r.best.config, "A=4,B=4,C=1");
  EXPECT_EQ(trials(r.session).at("A=4,B=4,C=0").status, TrialStatus::crashed);
}

TEST_F(LateFaults, OneWhoseLaunchIsRefusedIsNotSaidToComputeWrongly) {
  options_.device = "toy:verify/error/A=4,B=4,C=0";
  const SessionResult r = tuned();
  EXPECT_EQ(r.best.config, "A=4,B=4,C=1");
  const Trial refused = trials(r.session).at("A=4,B=4,C=0");
  EXPECT_EQ(refused.status, TrialStatus::launch_failed);
  EXPECT_EQ(refused.evidence, "after its last round of the finals, on fresh data: the launch failed");
}

// A finalist that left the rounds early may be the default, to which all are compared.
TEST_F(LateFaults, WhoLeftTheRoundsEarlyIsVerifiedToo) {
  options_.device = "toy:verify/wrong/A=1,B=1,C=0"; // the default: far slower, and always a finalist
  const SessionResult r = tuned();
  EXPECT_EQ(r.best.config, "A=4,B=4,C=0");
  EXPECT_EQ(trials(r.session).at("A=1,B=1,C=0").status, TrialStatus::unstable);
  EXPECT_THAT(r.best.outcome, HasSubstr("the default is not among the correct configurations"));
}

TEST_F(LateFaults, StoppedWhileVerifyingIsResumed) {
  on_progress = [this](const Progress& p) {
    if (p.phase == "verifying the finalists" && p.done == 1) stop_ = true;
  };
  const SessionResult first = tuned();
  EXPECT_TRUE(first.interrupted);
  EXPECT_TRUE(best().empty()) << "nothing that was not verified is stored";
  stop_ = false;
  on_progress = [](const Progress&) {};
  options_.resume = true;
  EXPECT_TRUE(tuned().best.certified);
}

// Ctrl-C reaches all processes of a terminal: the worker may end before the session checks it.
TEST_F(LateFaults, AWorkerThatEndsBecauseAllIsStoppedSaysNothing) {
  DeviceWorker device({options_.worker_executable, "toy:verify/once wait", dir_.path().string()},
                      {kernel_, test::toy_problem(kernel_), 0}, 60);
  std::vector<Finalist> finalists(1);
  finalists[0].config = {4, 4, 0};
  std::thread user([this] {
    while (!std::filesystem::exists(dir_ / "happened_verifywait")) ::usleep(1000);
    stop_ = true;
    std::ofstream(dir_ / "crash") << "now";
  });
  const auto verified = verify_finalists(
      device, finalists, [](int) {}, stop_);
  user.join();
  ASSERT_TRUE(verified) << verified.error().message;
  EXPECT_FALSE(*verified);
  EXPECT_EQ(finalists[0].status, TrialStatus::ok) << finalists[0].evidence;
}

} // namespace
} // namespace warptune
