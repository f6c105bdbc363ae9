// One process in a shared sweep: the job that it gets.
#include "cluster/missing_results.h"
#include "cluster/run_jobs.h"
#include "cluster/shared_file.h"
#include "cluster/shared_sweep.h"
#include "support/temp_dir.h"
#include "support/toy.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace warptune {
namespace {

struct SharedSweepTest : testing::Test {
  static constexpr std::size_t kJobs = 6;
  test::TempDir dir;
  const std::filesystem::path run = dir / "run";
  const std::atomic<bool> never{false};
  const DeviceInfo device = test::toy_device();

  std::unique_ptr<SharedSweep> join() const {
    const auto list = [] {
      std::vector<RunJob> jobs;
      for (std::size_t i = 0; i < kJobs; ++i) jobs.push_back({"toy", "n=" + std::to_string(i), 1});
      return jobs;
    };
    const auto description = join_run(run, "toys", "digest", list, 60);
    EXPECT_TRUE(description) << description.error().message;
    return SharedSweep::join(run, *description, 0, 1, dir.path()).value();
  }
};

// A node with many GPUs. A lease of 60 s is longer than the test waits.
TEST_F(SharedSweepTest, AllJobsOfANodeThatFailedAreTakenOverOneAfterAnother) {
  const auto sweep = join();
  for (std::size_t job = 0; job < kJobs; ++job)
    std::ofstream(run / "claims" / ClaimName{{job, model_key(device)}, 1}.text()) << R"({"process": "of the node"})";
  const auto begin = std::chrono::steady_clock::now();
  std::set<std::size_t> taken;
  for (std::size_t i = 0; i < kJobs; ++i) {
    const auto job = sweep->next(device, never);
    ASSERT_TRUE(job && *job);
    taken.insert((*job)->job);
  }
  EXPECT_EQ(taken.size(), kJobs);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

// A user deletes the claims. Without an end, the process would try to take the same claims again and again.
TEST_F(SharedSweepTest, DeletedClaimsEndTheProcess) {
  const auto sweep = join();
  for (std::size_t i = 0; i < kJobs; ++i) ASSERT_TRUE(sweep->next(device, never).value());
  for (const auto& entry : std::filesystem::directory_iterator(run / "claims"))
    if (entry.path().extension() != ".tmp") std::filesystem::remove(entry.path());
  const auto job = sweep->next(device, never);
  ASSERT_FALSE(job);
  EXPECT_THAT(job.error().message, testing::HasSubstr("cannot tell which jobs are done"));
}

// No process could name its next attempt.
TEST_F(SharedSweepTest, AJobWithoutAnotherAttemptHoldsNobodyUp) {
  const auto sweep = join();
  for (std::size_t job = 0; job < kJobs; ++job)
    std::ofstream(run / "claims" / (ClaimName{{job, model_key(device)}, 1'000'000}.text() + ".back")) << "{}";
  EXPECT_FALSE(sweep->next(device, never).value());
  EXPECT_EQ(sweep->done(), kJobs);
}

// A machine that lost its GPU must not fail the jobs of the whole run.
TEST_F(SharedSweepTest, AFailureThatMayBeTheMachinesFailsTheJobOnlyTheSecondTime) {
  const auto sweep = join();
  const auto fail_next = [&](ErrorKind kind) {
    const auto job = sweep->next(device, never).value();
    if (!job) {
      ADD_FAILURE() << "there is no job";
      return kJobs;
    }
    JobReport report;
    report.state = JobState::failed;
    report.error = Error{kind, "it failed"};
    EXPECT_TRUE(sweep->ended(*job, device, report));
    return job->job;
  };
  const auto state_of = [&](std::size_t job) {
    return ClaimBoard(list_shared(run / "claims").value()).state({job, model_key(device)});
  };
  std::set<std::size_t> handed_back;
  for (const ErrorKind kind : {ErrorKind::no_device, ErrorKind::internal, ErrorKind::bad_input}) {
    const std::size_t job = fail_next(kind);
    EXPECT_EQ(state_of(job), ClaimBoard::State::free) << static_cast<int>(kind);
    handed_back.insert(job);
  }
  EXPECT_EQ(handed_back.size(), 3u) << "other jobs come before one that failed here";
  for (std::size_t i = handed_back.size(); i < kJobs; ++i)
    EXPECT_EQ(state_of(fail_next(ErrorKind::no_candidate)), ClaimBoard::State::failed) << "the kernel's own failure";
  EXPECT_THAT(sweep->problems(),
              testing::ElementsAre("3 jobs that failed on this machine were left to the other processes"));
  for (std::size_t i = 0; i < handed_back.size(); ++i) {
    const std::size_t job = fail_next(ErrorKind::no_device);
    EXPECT_EQ(handed_back.count(job), 1u);
    EXPECT_EQ(state_of(job), ClaimBoard::State::failed) << "no other process wants it";
  }
  EXPECT_EQ(sweep->done(), kJobs);
  EXPECT_THAT(sweep->problems(), testing::IsEmpty());
}

TEST_F(SharedSweepTest, AnotherRunInTheFolderGetsNoResult) {
  const auto files_in = [&](const char* name) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(run / name))
      names.push_back(entry.path().filename().string());
    return names;
  };
  {
    const auto sweep = join();
    const auto job = sweep->next(device, never).value();
    ASSERT_TRUE(job);
    std::filesystem::remove_all(run);
    const auto other = join();
    std::ofstream(job->database) << "results";
    const auto ended = sweep->ended(*job, device, {});
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().kind, ErrorKind::database);
    EXPECT_THAT(ended.error().message, testing::AllOf(testing::HasSubstr("may now contain another run"),
                                                      testing::HasSubstr("kept in " + job->database.string())));
    EXPECT_FALSE(sweep->next(device, never));
  }
  EXPECT_THAT(files_in("results"), testing::IsEmpty());
  EXPECT_THAT(files_in("claims"), testing::IsEmpty()) << "it hands nothing back either";
  EXPECT_THAT(files_in("processes"), testing::ElementsAre(testing::EndsWith(".ended"))) << "that of the new run";
}

// Finished jobs whose database was deleted or moved.
TEST_F(SharedSweepTest, AJobWithoutItsResultIsDoneAgainWhenAsked) {
  const auto sweep = join();
  const auto finish = [&](std::size_t job, const char* database) {
    std::ofstream(run / "claims" / (ClaimName{{job, model_key(device)}, 1}.text() + ".finished"))
        << "{\"results\": \"" << database << "\"}";
  };
  finish(0, "a.1.db");
  finish(1, "b.1.db");
  finish(2, "");
  std::ofstream(run / "results" / "b.1.db") << "results";
  const auto missing = [&] { return missing_results(run, ClaimBoard(list_shared(run / "claims").value())).value(); };
  ASSERT_EQ(missing().size(), 1u);
  EXPECT_EQ(missing()[0].claim, (ClaimName{{0, model_key(device)}, 1}));
  EXPECT_EQ(missing_text(missing()), "1 finished job has no results, because results/a.1.db was deleted or moved");
  const auto resumed = resume_run(run);
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->missing, 1u);
  EXPECT_EQ(resumed->failed, 0u);
  EXPECT_THAT(missing(), testing::IsEmpty());
  const ClaimBoard board(list_shared(run / "claims").value());
  EXPECT_EQ(board.state({0, model_key(device)}), ClaimBoard::State::free);
  EXPECT_EQ(board.state({1, model_key(device)}), ClaimBoard::State::finished);
  std::filesystem::remove(run / "results" / "b.1.db");
  finish(3, "c.1.db");
  EXPECT_EQ(missing_text(missing()),
            "2 finished jobs have no results, because results/b.1.db and 1 more were deleted or moved");
}

} // namespace
} // namespace warptune
