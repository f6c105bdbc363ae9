// One process in a shared sweep: the job that it gets.
#include "cluster/run_jobs.h"
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

} // namespace
} // namespace warptune
