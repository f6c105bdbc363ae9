// `sweep --run`: processes that are killed, cut off from the run folder, or find nonsense in it.
#include "support/shared_run.h"

#include <algorithm>
#include <cstdlib>
#include <gmock/gmock.h>
#include <random>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;

// Few, so that `make test` is quick; WARPTUNE_KILLS=200 needs minutes.
std::size_t kills_at_random() {
  const char* asked = std::getenv("WARPTUNE_KILLS");
  return asked != nullptr ? static_cast<std::size_t>(std::max(1, std::atoi(asked))) : 8;
}

// So many jobs that the last kill still meets processes at work.
struct KilledRun : SharedRun {
  KilledRun() : SharedRun(24 + 4 * kills_at_random()) {}
};

TEST_F(KilledRun, KilledAtRandom) {
  constexpr std::size_t kProcesses = 4;
  std::mt19937 random(7);
  std::vector<pid_t> processes = start_all(kProcesses);
  MeasuredTrials half;
  for (std::size_t kills = 0; kills < kills_at_random(); ++kills) {
    ::usleep(std::uniform_int_distribution<useconds_t>(20'000, 250'000)(random));
    const std::size_t victim = random() % kProcesses;
    ::kill(-processes[victim], SIGKILL);
    ASSERT_EQ(wait_child(processes[victim]), 128 + SIGKILL) << "all was done after " << kills << " kills";
    processes[victim] = start(shard(victim, kProcesses));
    if (kills == kills_at_random() / 2 && !files_in("results").empty()) half = merged();
  }
  for (const pid_t process : processes) (void)wait_child(process);
  EXPECT_GT(count_claims(".2"), 0u) << "no kill met a job";
  // A job that lost three processes is given up, until somebody asks for it again.
  const CliResult last = cli.run(words({"--resume"}));
  EXPECT_EQ(last.code, 0) << last.err << said();
  const MeasuredTrials all = merged();
  EXPECT_TRUE(std::includes(all.begin(), all.end(), half.begin(), half.end())) << "published results are lost";
  EXPECT_EQ(all, undisturbed());
}

TEST_F(SharedRun, ClocksThatDifferDoNoHarm) {
  const pid_t late = start(shard(0, 2), [] {
    ::setenv("LD_PRELOAD", (program_dir() / "libwt_clock_shim.so").c_str(), 1);
    ::setenv("WT_CLOCK_BACK", "0", 1); // each reading is an hour earlier
  });
  const pid_t right = start(shard(1, 2));
  EXPECT_EQ(wait_child(late), 0) << said();
  EXPECT_EQ(wait_child(right), 0) << said();
  EXPECT_EQ(claims().size(), 2 * jobs) << "no job was taken over";
  EXPECT_EQ(merged(), undisturbed());
}

TEST_F(SharedRun, TwoThatResumeAtOnce) {
  const pid_t first = start();
  wait_for_claims(".finished", 2);
  ::kill(-first, SIGKILL);
  (void)wait_child(first);
  const pid_t a = start({"--resume"}), b = start({"--resume"});
  EXPECT_EQ(wait_child(a), 0) << said();
  EXPECT_EQ(wait_child(b), 0) << said();
  EXPECT_LE(claims().size(), 2 * jobs + 1) << "the job of the killed process alone has a second attempt";
  EXPECT_EQ(merged(), undisturbed());
}

TEST_F(SharedRun, AFolderThatIsDeletedEndsTheSweepInOneSentence) {
  const pid_t process = start();
  wait_for_claims(".finished", 1);
  std::filesystem::rename(run, run + ".gone");
  EXPECT_EQ(wait_child(process), 5);
  EXPECT_THAT(said(), HasSubstr("the run folder was deleted or moved"));
  // All that was published is there, and the rest is done when the folder is back.
  std::filesystem::rename(run + ".gone", run);
  EXPECT_EQ(wait_child(start()), 0) << said();
  EXPECT_EQ(merged(), undisturbed());
}

// The run folder is on a disk of its own, which fills; databases in work are elsewhere.
TEST_F(SharedRun, AFullDiskEndsTheSweepAndLosesNothing) {
  const SmallDisk disk(run, "4m");
  if (!disk) GTEST_SKIP() << "needs the right to mount a small disk";
  const pid_t process = start();
  wait_for_claims(".finished", 2);
  disk.fill();
  EXPECT_EQ(wait_child(process), 5) << said();
  EXPECT_THAT(said(), AllOf(HasSubstr("No space left on device"), HasSubstr("free some space and repeat the command")));
  const std::size_t published = merged().size();
  EXPECT_GE(published, 2 * 9u);
  EXPECT_EQ(left_locally().size(), 1u) << "the results that could not be published are kept";
  disk.free();
  EXPECT_EQ(wait_child(start()), 0) << said();
  EXPECT_EQ(merged(), undisturbed());
}

} // namespace
} // namespace warptune
