// `sweep --run`: processes that are killed, cut off from the run folder, or find unexpected content in it.
#include "support/shared_run.h"

#include <algorithm>
#include <cstdlib>
#include <gmock/gmock.h>
#include <iostream>
#include <random>
#include <sys/wait.h>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;

// 80 take about 18 s.
std::size_t kills_at_random() {
  const char* asked = std::getenv("WARPTUNE_KILLS");
  return asked != nullptr ? static_cast<std::size_t>(std::max(1, std::atoi(asked))) : 80;
}

constexpr const char* kGivenUp = "processes in a row ended before they finished this job; --resume tries it again";

struct KilledRun : SharedRun {
  static constexpr std::size_t kProcesses = 4;
  std::mt19937 random{7};
  std::size_t repeated = 0; // claims of jobs that had lost a process
  KilledRun() : SharedRun(48) {}

  // Makes a run, kills random processes of it and starts them again, until the run has no job left or `most` processes
  // were killed. Returns the number of kills, without processes that had ended before.
  std::size_t kill_some(std::size_t most) {
    std::vector<pid_t> processes = start_all(kProcesses);
    MeasuredTrials early;
    std::size_t kills = 0;
    wait_for_claims(".1", 1);
    while (kills < most && !processes.empty()) {
      ::usleep(std::uniform_int_distribution<useconds_t>(20'000, 250'000)(random));
      const std::size_t victim = random() % processes.size();
      ::kill(-processes[victim], SIGKILL);
      if (const int code = wait_child(processes[victim]); code == 128 + SIGKILL) {
        ++kills;
        processes[victim] = start(shard(victim, kProcesses));
      } else {
        expect_ended(code);
        EXPECT_EQ(status()["models"][0]["waiting"], 0) << "it ended although a job was left";
        processes.erase(processes.begin() + static_cast<std::ptrdiff_t>(victim));
      }
      if (early.empty() && kills >= most / 2 && !files_in("results").empty()) early = merged();
    }
    for (const pid_t process : processes) expect_ended(wait_child(process));
    repeated += count_claims(".2");
    // A job that lost three processes is given up until --resume. The process that resumes may be the one to find it.
    CliResult last = cli.run(words({"--resume"}));
    if (last.code == 1) {
      EXPECT_THAT(last.out, HasSubstr(kGivenUp));
      last = cli.run(words({"--resume"}));
    }
    EXPECT_EQ(last.code, 0) << last.out << last.err;
    const MeasuredTrials all = merged();
    EXPECT_TRUE(std::includes(all.begin(), all.end(), early.begin(), early.end())) << "published results are lost";
    EXPECT_EQ(all, expected_);
    return kills;
  }

 private:
  void expect_ended(int code) const {
    if (code == 1)
      EXPECT_THAT(said(), HasSubstr(kGivenUp));
    else
      EXPECT_EQ(code, 0) << said();
  }
  const MeasuredTrials expected_ = undisturbed();
};

// A fast machine may complete a run before the last kill: then the kills continue in a new run.
TEST_F(KilledRun, KilledAtRandom) {
  const std::size_t wanted = kills_at_random();
  std::size_t kills = 0, runs = 0;
  for (; kills < wanted; ++runs) {
    ASSERT_LE(runs, wanted) << "only " << kills << " kills met a process at work";
    std::filesystem::remove_all(run);
    kills += kill_some(wanted - kills);
    if (HasFailure()) return;
  }
  EXPECT_GT(repeated, 0u) << "no kill met a job";
  std::cout << kills << " kills in " << runs << " runs; " << repeated << " jobs had lost a process\n";
}

// A job that ends each process is given up, and the process that gives it up says so.
TEST_F(SharedRun, ThreeLostProcessesFailAJob) {
  const pid_t process = start();
  wait_for_claims(".1", 1);
  ::kill(-process, SIGKILL);
  (void)wait_child(process);
  const std::string claim = claims().front().substr(0, claims().front().find('.'));
  for (const char* attempt : {".2", ".3"})
    std::filesystem::copy_file(folder("claims") / (claim + ".1"), folder("claims") / (claim + attempt));
  const CliResult last = cli.run(words());
  EXPECT_EQ(last.code, 1) << last.err;
  EXPECT_THAT(last.out, AllOf(HasSubstr("scale rows="), HasSubstr(kGivenUp)));
  EXPECT_EQ(status()["models"][0]["failed"], 1);
  const CliResult again = cli.run(words({"--resume"}));
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_EQ(merged(), undisturbed());
}

// Without its recordings, a process fails each job at once, as one on a broken machine does.
TEST_F(SharedRun, ABrokenMachineDoesNotFailTheRun) {
  const std::filesystem::path here = cli.dir() / "recordings", copy = cli.dir() / "copy", away = cli.dir() / "away";
  std::filesystem::copy(here, copy);
  const pid_t broken = start();
  wait_for_claims(".finished", 2);
  ::kill(-broken, SIGSTOP);
  std::filesystem::rename(here, away);
  std::vector<std::string> other = words();
  std::replace(other.begin(), other.end(), "replay:" + recordings.string(), "replay:" + copy.string());
  const pid_t healthy = start_child([&] { return cli.execute(other, [] {}); });
  ::kill(-broken, SIGCONT);
  EXPECT_EQ(wait_child(healthy), 0) << said();
  EXPECT_EQ(wait_child(broken), 1) << said();
  EXPECT_EQ(count_claims(".failed"), 0u);
  EXPECT_GT(count_claims(".back"), 0u);
  EXPECT_EQ(count_claims(".finished"), jobs);
  std::filesystem::rename(away, here);
  EXPECT_EQ(merged(), undisturbed());
}

// Alone, a process tries such jobs once more, and they have then failed.
TEST_F(SharedRun, WithoutAnotherMachineAJobFailsTheSecondTime) {
  const pid_t broken = start();
  wait_for_claims(".finished", 2);
  ::kill(-broken, SIGSTOP);
  std::filesystem::rename(recordings, cli.dir() / "away");
  ::kill(-broken, SIGCONT);
  EXPECT_EQ(wait_child(broken), 1) << said();
  EXPECT_EQ(count_claims(".failed") + count_claims(".finished"), jobs);
  EXPECT_EQ(count_claims(".back"), count_claims(".failed"));
  EXPECT_EQ(status()["complete"], true);
  std::filesystem::rename(cli.dir() / "away", recordings);
  EXPECT_EQ(cli.run(words({"--resume"})).code, 0);
  EXPECT_EQ(merged(), undisturbed());
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
  EXPECT_THAT(said(), HasSubstr("; " + run + " was deleted or moved; put it back"));
  // All published results are there, and the rest is done when the folder is back.
  std::filesystem::rename(run + ".gone", run);
  EXPECT_EQ(wait_child(start()), 0) << said();
  EXPECT_EQ(merged(), undisturbed());
}

// The folder was removed by a program that cleans up temporary files. A new database of the same name must not replace
// a published one.
TEST_F(SharedRun, ADeletedLocalFolderLosesNothingThatIsPublished) {
  const pid_t process = start();
  wait_for_claims(".finished", 2);
  for (const std::string& name : left_locally()) std::filesystem::remove_all(cli.dir() / name);
  EXPECT_EQ(wait_child(process), 5) << said();
  EXPECT_THAT(said(), AllOf(HasSubstr("was deleted while this process used it"), HasSubstr("--local")));
  EXPECT_GE(merged().size(), 2 * 9u);
  EXPECT_EQ(merged().size(), count_claims(".finished") * 9);
  EXPECT_EQ(wait_child(start()), 0) << said();
  EXPECT_EQ(merged(), undisturbed());
}

// The database of the first job is deleted while the job writes to it.
TEST_F(SharedRun, AJobWhoseDatabaseIsDeletedIsNotFinished) {
  const pid_t process = start();
  const auto has_database = [&] {
    for (const std::string& name : left_locally())
      for (const auto& entry : std::filesystem::directory_iterator(cli.dir() / name))
        if (entry.path().extension() == ".db") return true;
    return false;
  };
  while (!has_database()) ::usleep(200);
  ::kill(-process, SIGSTOP);
  ASSERT_EQ(::waitpid(process, nullptr, WUNTRACED), process);
  for (const std::string& name : left_locally()) std::filesystem::remove_all(cli.dir() / name);
  ::kill(-process, SIGCONT);
  EXPECT_EQ(wait_child(process), 5) << said();
  EXPECT_THAT(said(), HasSubstr("was deleted while this process used it"));
  EXPECT_EQ(count_claims(".finished") + count_claims(".failed"), 0u) << "it is handed back";
  EXPECT_EQ(wait_child(start()), 0) << said();
  EXPECT_EQ(merged(), undisturbed());
}

// A claim of a job that the run does not have: no process could end it.
TEST_F(SharedRun, AStrayClaimHoldsNobodyUp) {
  EXPECT_EQ(cli.run(words()).code, 0);
  const std::string model = claims().front().substr(6, 8);
  std::ofstream(folder("claims") / ("99999-" + model + ".1")) << "{}";
  const CliResult again = cli.run(words());
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(count_claims("99999-", ""), 1u) << "it is not taken over";
}

// A run whose first process was told to stop, and published one database.
struct StoppedRun : SharedRun {
  StoppedRun() {
    const pid_t process = start();
    wait_for_claims(".finished", 2);
    ::kill(process, SIGTERM);
    EXPECT_EQ(wait_child(process), 130) << said();
    EXPECT_EQ(files_in("results").size(), 1u);
  }
};

TEST_F(StoppedRun, ADamagedResultIsNamed) {
  const std::string result = (folder("results") / files_in("results").front()).string();
  // Not the first page: the schema can be read.
  std::fstream(result, std::ios::in | std::ios::out).seekp(4096) << std::string(8192, '\xee');
  // The job that was handed back with this result starts from the beginning.
  const CliResult rest = cli.run(words());
  EXPECT_EQ(rest.code, count_claims(".back") > 0 ? 1 : 0) << rest.err;
  if (rest.code == 1) {
    EXPECT_THAT(rest.out, HasSubstr(result + " is damaged, so its unfinished job was started again"));
  }
  const CliResult refused = cli.run({"merge", "-o", (cli.dir() / "some.db").string(), run});
  EXPECT_EQ(refused.code, 5);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr(result), HasSubstr("move this database out of " + folder("results").string())));
  // Follows the advice: the jobs of the damaged database are repeated.
  std::filesystem::remove(result);
  EXPECT_EQ(cli.run(words({"--resume"})).code, 0);
  EXPECT_EQ(merged(), undisturbed());
}

TEST_F(SharedRun, AMissingResultIsSaidAndRepeated) {
  for (const pid_t process : start_all(2)) EXPECT_EQ(wait_child(process), 0) << said();
  ASSERT_EQ(files_in("results").size(), 2u);
  const std::string result = (folder("results") / files_in("results").front()).string(),
                    kept = (cli.dir() / "kept.db").string();
  std::filesystem::rename(result, kept);
  const std::string sentence = "results/" + std::filesystem::path(result).filename().string() + " was deleted or moved";
  EXPECT_THAT(cli.run({"sweep", "--status", run}).out,
              AllOf(HasSubstr(sentence), HasSubstr("--resume"), testing::Not(HasSubstr("done"))));
  EXPECT_GE(status()["missing"].size(), 1u);
  const CliResult incomplete = cli.run({"merge", "-o", (cli.dir() / "some.db").string(), run});
  EXPECT_EQ(incomplete.code, 1);
  EXPECT_THAT(incomplete.err, AllOf(HasSubstr(sentence), HasSubstr("put the files back")));
  EXPECT_LT(trials_of(cli.dir() / "some.db").size(), jobs * 9);
  // Puts it back.
  std::filesystem::rename(kept, result);
  EXPECT_EQ(status()["missing"].size(), 0u);
  EXPECT_EQ(merged(), undisturbed());
  std::filesystem::remove(result);
  const CliResult resumed = cli.run(words({"--resume"}));
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("whose results are missing"));
  EXPECT_EQ(merged(), undisturbed());
}

// The folder is deleted and another sweep begins in it, while a process of the first one works on a job.
TEST_F(SharedRun, AReplacedFolderGetsNothingOfTheOldRun) {
  const pid_t process = start();
  wait_for_claims(".1", 1);
  ::kill(-process, SIGSTOP);
  ASSERT_EQ(::waitpid(process, nullptr, WUNTRACED), process);
  std::filesystem::remove_all(run);
  const CliResult second = cli.run(words({"--budget", "4"}));
  EXPECT_EQ(second.code, 0) << second.err;
  const auto results = files_in("results"), names = claims(), processes = files_in("processes");
  ::kill(-process, SIGCONT);
  EXPECT_EQ(wait_child(process), 5);
  EXPECT_THAT(said(), HasSubstr("may now contain another run"));
  EXPECT_EQ(files_in("results"), results);
  EXPECT_EQ(claims(), names);
  EXPECT_EQ(files_in("processes"), processes);
}

// The run folder is on a separate disk, which fills up; databases in work are elsewhere.
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
