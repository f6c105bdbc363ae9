// `tune --split`: one problem on several devices, and processes that share it, are killed, stopped, and start again.
#include "recording/recording.h"
#include "support/split_run.h"

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <random>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The proposals of a search do not depend on which process measures them, so four processes measure the trials of one.
TEST_F(SplitRun, FourProcessesMeasureWhatOneMeasures) {
  const std::vector<pid_t> processes = start_all(4);
  for (const pid_t process : processes) EXPECT_EQ(wait_child(process), 0) << said();
  EXPECT_EQ(merged(), alone(100));
  EXPECT_EQ(count_claims("", ".1"), 101u) << "each configuration once, and the finals";
  EXPECT_EQ(count_claims("00000-", ".1.finished"), 1u);
  EXPECT_EQ(files_in("results").size(), 1u);
  EXPECT_EQ(published(), 100u);
  const nlohmann::json now = status();
  std::int64_t measured = 0;
  for (const nlohmann::json& process : now["processes"]) measured += process["trials"].get<std::int64_t>();
  EXPECT_EQ(measured, 100) << "as the processes say themselves";
  const std::string text = said();
  EXPECT_THAT(text, HasSubstr("measured by other processes"));
  std::size_t winners = 0;
  for (std::size_t at = text.find("  best "); at != std::string::npos; at = text.find("  best ", at + 1)) ++winners;
  EXPECT_EQ(winners, 4u) << "each process shows the winner";
  EXPECT_THAT(left_locally(), testing::IsEmpty());
  // Another process finds nothing to do.
  const CliResult again = cli.run(words({"--json"}));
  EXPECT_EQ(again.code, 0) << again.err;
  const auto shown = nlohmann::json::parse(again.out, nullptr, false);
  EXPECT_EQ(shown["measured"], 0);
  EXPECT_EQ(shown["elsewhere"], 100);
  EXPECT_EQ(shown["run"], run);
  EXPECT_GT(shown["best"]["median_us"], 0);
  EXPECT_EQ(published(), 100u);
}

TEST_F(SplitRange, AnExhaustiveSpaceIsSharedByRanges) {
  const std::vector<pid_t> processes = start_all(4);
  for (const pid_t process : processes) EXPECT_EQ(wait_child(process), 0) << said();
  EXPECT_EQ(merged(), alone(540));
  // 540 / (4 devices x 8) = 16 configurations each.
  EXPECT_EQ(count_claims("", ".1"), 34u + 1u);
  EXPECT_LT(files_in("trials").size(), 60u) << "a file has many trials";
}

TEST_F(SplitRun, SeveralDevicesOfOneProcess) {
  const std::string db = (cli.dir() / "four.db").string();
  const CliResult four = cli.run(problem({"--split", "4", "--db", db}));
  EXPECT_EQ(four.code, 0) << four.err;
  EXPECT_EQ(trials_of(db), alone(100));
  // With --resume, they continue the session of one device.
  const std::string part = (cli.dir() / "part.db").string();
  const CliResult known = cli.run(problem({"--split", "2", "--resume", "--db", db}));
  EXPECT_EQ(known.code, 0);
  EXPECT_THAT(known.out, HasSubstr("already finished"));
}

TEST_F(SplitRun, WhatAKilledProcessPublishedCounts) {
  const pid_t first = start();
  wait_for_trials(20);
  ::kill(-first, SIGKILL);
  (void)wait_child(first);
  const std::size_t before = published();
  EXPECT_LT(before, 100u);
  const CliResult second = cli.run(words({"--json"}));
  EXPECT_EQ(second.code, 0) << second.err;
  const auto shown = nlohmann::json::parse(second.out, nullptr, false);
  EXPECT_EQ(shown["elsewhere"], before);
  EXPECT_EQ(shown["measured"], 100 - before) << "what it had claimed and not published is measured again";
  EXPECT_EQ(merged(), alone(100));
}

TEST_F(SplitRange, KilledAtRandomUpTo200Times) {
  lease = "4s";
  std::mt19937 random(7);
  const auto begin = std::chrono::steady_clock::now();
  // The tenth loss of a job in a row makes it fail, and it loses at most one process per lease.
  const auto last_kill = begin + 9 * std::chrono::seconds(4);
  std::vector<pid_t> processes = start_all(5);
  while (count_claims("", ".1") == 0) ::usleep(2000);
  // On a busy machine, shorter waits would kill every process before its first claim.
  const auto to_claim = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
  const auto longest = static_cast<useconds_t>(std::clamp<std::int64_t>(to_claim.count(), 100'000, 900'000));
  for (int kills = 0; kills < 200 && std::chrono::steady_clock::now() < last_kill; ++kills) {
    ::usleep(std::uniform_int_distribution<useconds_t>(10'000, longest)(random));
    const std::size_t victim = random() % processes.size();
    ::kill(-processes[victim], SIGKILL);
    (void)wait_child(processes[victim]);
    processes[victim] = start(shard(victim, 5));
  }
  for (const pid_t process : processes) EXPECT_EQ(wait_child(process), 0) << said();
  EXPECT_GT(count_claims("", ".2"), 0u) << "the kills came too early or too late";
  // A process that was killed after it had published the finals, and before it said so, leaves a session too.
  const auto results = files_in("results");
  EXPECT_EQ(merged(static_cast<std::size_t>(std::count_if(
                results.begin(), results.end(), [](const std::string& name) { return name.ends_with(".db"); }))),
            alone(540));
}

TEST_F(SplitRun, AStoppedProcessHandsItsShareBack) {
  const pid_t first = start();
  wait_for_trials(20);
  ::kill(first, SIGTERM);
  EXPECT_EQ(wait_child(first), 130) << said();
  EXPECT_THAT(said(), AllOf(HasSubstr("To resume:"), HasSubstr("stopped: axpy")));
  EXPECT_GT(count_claims("", ".back"), 0u);
  EXPECT_EQ(count_claims("", ".1"), published() + count_claims("", ".1.back")) << "no claim is left over";
  EXPECT_EQ(cli.run(words()).code, 0);
  EXPECT_EQ(merged(), alone(100));
}

// A process on another machine, which is alive, holds the finals.
TEST_F(SplitRun, AProcessThatIsStoppedWhileItWaitsForTheFinalsIsNotDone) {
  search = {"--budget", "20"};
  EXPECT_EQ(cli.run(words()).code, 0);
  const auto far = std::make_unique<FarProcess>(folder("processes") / "00000-far-1-00000000");
  give_to(*far, "00000-");
  const auto count_left = [&] {
    const auto names = files_in("trials");
    return std::count_if(names.begin(), names.end(), [](const std::string& name) { return name.ends_with(".left"); });
  };
  const pid_t waiting = start();
  while (count_left() < 2) ::usleep(2000); // it has nothing more to measure
  ::usleep(100'000);
  ::kill(waiting, SIGTERM);
  EXPECT_EQ(wait_child(waiting), 130) << said();
  EXPECT_THAT(said(), HasSubstr("To resume:"));
  EXPECT_EQ(status()["split"]["finals"], "running");
}

// The process that does not answer holds claims for which the others wait, and its late results do no harm.
TEST_F(SplitRun, AProcessThatDoesNotAnswerIsReplaced) {
  const pid_t silent = start(shard(0, 2));
  wait_for_trials(5);
  ::kill(-silent, SIGSTOP);
  const std::size_t stopped_at = published();
  ASSERT_LT(stopped_at, 100u);
  const pid_t other = start(shard(1, 2));
  EXPECT_EQ(wait_child(other), 0) << said();
  EXPECT_GT(count_claims("", ".2"), 0u);
  ::kill(-silent, SIGCONT);
  EXPECT_EQ(wait_child(silent), 0) << said();
  EXPECT_EQ(count_claims("00000-", ".finished"), 1u) << "it does not hold the finals again";
  EXPECT_EQ(merged(), alone(100));
}

TEST_F(SplitRun, FinalsOfALostProcessAreHeldByAnother) {
  // A process that claimed the finals and was killed; it has no process file.
  search = {"--budget", "20"};
  EXPECT_EQ(cli.run(words()).code, 0);
  const auto names = claims();
  const auto finals =
      std::find_if(names.begin(), names.end(), [](const std::string& name) { return name.starts_with("00000-"); });
  ASSERT_NE(finals, names.end());
  const std::string name = finals->substr(0, finals->find('.'));
  std::filesystem::remove(folder("claims") / (name + ".1.finished"));
  for (const std::string& result : files_in("results")) std::filesystem::remove(folder("results") / result);
  EXPECT_EQ(status()["split"]["finals"], "running");
  EXPECT_EQ(cli.run(words()).code, 0);
  EXPECT_EQ(count_claims("00000-", ".2.finished"), 1u);
  EXPECT_EQ(merged().size(), 20u);
}

TEST_F(SplitRun, ClocksThatDifferDoNoHarm) {
  const pid_t late = start(shard(0, 2), [] {
    ::setenv("LD_PRELOAD", (program_dir() / "libwt_clock_shim.so").c_str(), 1);
    ::setenv("WT_CLOCK_BACK", "0", 1); // each reading is an hour earlier
  });
  const pid_t right = start(shard(1, 2));
  EXPECT_EQ(wait_child(late), 0) << said();
  EXPECT_EQ(wait_child(right), 0) << said();
  EXPECT_EQ(count_claims("", ".2"), 0u) << "nothing was taken over";
  EXPECT_EQ(merged(), alone(100));
}

TEST_F(SplitRun, ACancelledRunEndsAndContinues) {
  search = {"--strategy", "portfolio", "--budget", "500"}; // more than a quarter of the lease can do
  const pid_t process = start();
  wait_for_trials(10);
  EXPECT_EQ(status()["split"]["devices"], 4);
  const CliResult cancelled = cli.run({"sweep", "--cancel", run});
  EXPECT_EQ(cancelled.code, 0) << cancelled.err;
  EXPECT_EQ(wait_child(process), 130);
  EXPECT_THAT(said(), AllOf(HasSubstr("the run was cancelled"), HasSubstr("--resume")));
  const CliResult refused = cli.run(words());
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("was cancelled; --resume continues it"));
  EXPECT_EQ(status()["cancelled"], true);
  const pid_t a = start({"--resume"}), b = start({"--resume"});
  EXPECT_EQ(wait_child(a), 0) << said();
  EXPECT_EQ(wait_child(b), 0) << said();
  EXPECT_EQ(merged(), alone(500));
  EXPECT_EQ(status()["complete"], true);
}

TEST_F(SplitRun, AFolderThatIsDeletedEndsTheProcessInOneSentence) {
  const pid_t process = start_and_pause(10);
  std::filesystem::rename(run, run + ".gone");
  ::kill(-process, SIGCONT);
  EXPECT_EQ(wait_child(process), 5);
  EXPECT_THAT(said(), HasSubstr("; " + run + " was deleted or moved; put it back"));
  std::filesystem::rename(run + ".gone", run);
  EXPECT_EQ(wait_child(start()), 0) << said();
  EXPECT_EQ(merged(), alone(100));
}

TEST_F(SplitRun, AFullDiskEndsTheProcessAndLosesNothing) {
  const SmallDisk disk(run, "4m");
  if (!disk) GTEST_SKIP() << "needs the right to mount a small disk";
  const pid_t process = start_and_pause(10);
  disk.fill();
  ::kill(-process, SIGCONT);
  EXPECT_EQ(wait_child(process), 5) << said();
  EXPECT_THAT(said(), AllOf(HasSubstr("No space left on device"), HasSubstr("free some space and repeat the command")));
  disk.free();
  EXPECT_EQ(wait_child(start()), 0) << said();
  EXPECT_EQ(merged(), alone(100));
}

TEST_F(SplitRun, AProblemWithoutAWinnerFailsForAll) {
  auto bad = load_recording(recording.substr(recording.find(':') + 1));
  ASSERT_TRUE(bad);
  for (Trial& trial : bad->trials) {
    trial.status = TrialStatus::crashed;
    trial.evidence = "illegal address";
    trial.verdict.reset();
    trial.timing.reset();
  }
  const std::string file = (cli.dir() / "bad.json").string();
  ASSERT_TRUE(save_recording(*bad, file));
  const_cast<std::string&>(recording) = "replay:" + file;
  const CliResult first = cli.run(words()), second = cli.run(words());
  EXPECT_EQ(first.code, 4) << first.err;
  EXPECT_EQ(second.code, 4) << second.err;
  EXPECT_EQ(first.err, second.err);
  EXPECT_EQ(count_claims("00000-", ".failed"), 1u);
  EXPECT_EQ(status()["split"]["finals"], "failed");
  EXPECT_THAT(cli.run({"sweep", "--status", run}).out, HasSubstr("--resume"));
  EXPECT_EQ(cli.run(words({"--resume"})).code, 4);
  EXPECT_EQ(count_claims("00000-", ".failed"), 2u) << "tried again";
}

// As another program may have written them.
TEST_F(SplitRun, FactsOfTheWrongTypeAreNotUsed) {
  search = {"--budget", "20"};
  EXPECT_EQ(cli.run(words()).code, 0);
  const auto names = claims();
  const auto end =
      std::find_if(names.begin(), names.end(), [](const std::string& name) { return name.ends_with(".finished"); });
  ASSERT_NE(end, names.end());
  std::ofstream(folder("claims") / *end) << R"({"best_us": "x", "config": 5, "results": 7, "session": "y"})";
  EXPECT_GT(status()["split"]["best_us"], 0) << "the best of the trials";
  EXPECT_EQ(status()["split"]["config"], nullptr);
  const CliResult again = cli.run(words());
  EXPECT_EQ(again.code, 5);
  EXPECT_THAT(again.err, HasSubstr("the results of the finals are missing from the run folder"));
  nlohmann::json changed = nlohmann::json::parse(read_text(folder("run.json")));
  changed["split"] = 0;
  std::ofstream(folder("run.json")) << changed;
  EXPECT_EQ(cli.run(problem({"--run", run})).code, 5) << "a split over no device is damage";
}

TEST_F(SplitRun, AnotherModelIsRefused) {
  auto other = load_recording(recording.substr(recording.find(':') + 1));
  ASSERT_TRUE(other);
  other->device.name = "NVIDIA L4";
  const std::string file = (cli.dir() / "other.json").string();
  ASSERT_TRUE(save_recording(*other, file));
  EXPECT_EQ(cli.run(words()).code, 0);
  std::vector<std::string> all = words();
  *std::find(all.begin(), all.end(), recording) = "replay:" + file;
  const CliResult refused = cli.run(all);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("NVIDIA H200"), HasSubstr("NVIDIA L4"), HasSubstr("use devices of one model")));
}

TEST_F(SplitRun, OptionsThatDoNotFitAreOneSentence) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& part, int code = 2) {
    const CliResult result = cli.run(problem(more));
    EXPECT_EQ(result.code, code) << part;
    EXPECT_THAT(result.err, AllOf(HasSubstr(part), Not(HasSubstr("\nwarptune:"))));
  };
  refused({"--shard", "0/2"}, "--shard needs --run DIR");
  refused({"--run", run, "--db", "x.db"}, "cannot be combined with --db");
  refused({"--run", run, "--profile", "all"}, "use --profile best");
  refused({"--run", run, "--lease", "0.5"}, "--lease takes a time from 1s to 24h");
  refused({"--devices", "cuda:0"}, "--device and --devices both name devices");
  refused({"--run", "/proc/no/run"}, "cannot make", 5);
  EXPECT_FALSE(std::filesystem::exists(run));
  EXPECT_EQ(cli.run(words()).code, 0);
  refused({"--run", run, "--split", "3"}, "splits its problem over 4 devices");
  refused({"--run", run, "--finalists", "3"}, "differ from those of");
  const CliResult sweep = cli.run({"sweep", "matmul", "--run", run, "--devices", recording});
  EXPECT_EQ(sweep.code, 2);
  std::ofstream(folder("trials") / "00000-x-1-2.0") << "{";
  refused({"--run", run}, "is damaged; delete it", 5);
  std::filesystem::remove(folder("trials") / "00000-x-1-2.0");
  refused({"--run", run, "--split", "4", "--devices", "x"}, "--device and --devices");
}

} // namespace
} // namespace warptune
