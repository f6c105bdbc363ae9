// `sweep --run`: processes that share a sweep, are killed, stopped, cut off from the folder, and start again.
#include "support/shared_run.h"

#include <gmock/gmock.h>
#include <random>
#include <sys/mount.h>
#include <sys/resource.h>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The tests sync many small files, which a busy disk makes slow, and none of them cuts the power.
const bool kInMemory = ::access("/dev/shm", W_OK) == 0 && ::setenv("TMPDIR", "/dev/shm", 1) == 0;

std::vector<std::string> shard(int number, int of) {
  return {"--shard", std::to_string(number) + "/" + std::to_string(of)};
}

// No process, whatever happened to it, leaves anything in the folder for databases in work.
std::vector<std::string> left_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (std::string name = entry.path().filename().string(); name.starts_with("warptune-run-")) names.push_back(name);
  return names;
}

TEST_F(SharedRun, ThreeProcessesDoEachJobOnce) {
  std::vector<pid_t> processes;
  for (int i = 0; i < 3; ++i) processes.push_back(start(shard(i, 3)));
  for (const pid_t process : processes) EXPECT_EQ(wait_child(process), 0) << said();
  EXPECT_EQ(claims().size(), 2 * jobs);
  EXPECT_EQ(count_claims(".1.finished"), jobs);
  EXPECT_EQ(merged(), undisturbed());
  EXPECT_THAT(left_in(cli.dir().path()), testing::IsEmpty());
  // Another one finds nothing to do.
  const CliResult again = cli.run(words());
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("0 jobs: nothing to do"));
}

TEST_F(SharedRun, KilledAtRandom) {
  std::mt19937 random(7);
  std::vector<pid_t> processes(4);
  for (std::size_t i = 0; i < processes.size(); ++i) processes[i] = start(shard(static_cast<int>(i), 4));
  for (int kills = 0; kills < 8; ++kills) {
    ::usleep(std::uniform_int_distribution<useconds_t>(20'000, 250'000)(random));
    const std::size_t victim = random() % processes.size();
    ::kill(-processes[victim], SIGKILL);
    (void)wait_child(processes[victim]);
    processes[victim] = start(shard(static_cast<int>(victim), 4));
  }
  for (const pid_t process : processes) (void)wait_child(process);
  // A job that lost three processes is given up, until somebody asks for it again.
  const CliResult last = cli.run(words({"--resume"}));
  EXPECT_EQ(last.code, 0) << last.err << said();
  EXPECT_EQ(merged(), undisturbed());
}

TEST_F(SharedRun, AStoppedProcessHandsItsJobBackAndAnotherContinues) {
  const pid_t first = start();
  wait_for_claims(".finished", 2);
  ::kill(first, SIGTERM);
  EXPECT_EQ(wait_child(first), 130) << said();
  EXPECT_EQ(count_claims(".1"), count_claims(".1.finished") + count_claims(".1.back")) << "at once";
  EXPECT_EQ(wait_child(start()), 0) << said();
  const MeasuredTrials all = merged();
  EXPECT_EQ(all, undisturbed());
  // The session of the job that was handed back was continued: one for each job.
  const auto reader = Reader::open(cli.dir() / "merged.db");
  EXPECT_EQ(reader->sessions()->size(), jobs);
}

// So few jobs that the rest is done long before the lease ends.
struct SmallSharedRun : SharedRun {
  SmallSharedRun() : SharedRun(2) {}
};

TEST_F(SmallSharedRun, AProcessInReserveTakesOverTheLastJob) {
  const pid_t worker = start(shard(0, 3));
  wait_for_claims(".1", 1);
  ::kill(-worker, SIGSTOP); // gone for the others, and back later
  const pid_t second = start(shard(1, 3)), third = start(shard(2, 3));
  EXPECT_EQ(wait_child(second), 0) << said();
  EXPECT_EQ(wait_child(third), 0) << said();
  EXPECT_EQ(count_claims(".2.finished"), 1u) << "the job of the process that does not answer";
  // What it has measured meanwhile is late, and not lost.
  ::kill(-worker, SIGCONT);
  EXPECT_EQ(wait_child(worker), 0) << said();
  EXPECT_EQ(count_claims(".1.finished"), jobs);
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
  EXPECT_THAT(said(), HasSubstr("the run folder was deleted or moved"));
  // All that was published is there, and the rest is done when the folder is back.
  std::filesystem::rename(run + ".gone", run);
  EXPECT_EQ(wait_child(start()), 0) << said();
  EXPECT_EQ(merged(), undisturbed());
}

// The run folder is on a disk of its own, which fills; databases in work are elsewhere.
TEST_F(SharedRun, AFullDiskEndsTheSweepAndLosesNothing) {
  std::filesystem::create_directory(run);
  if (::mount("none", run.c_str(), "tmpfs", 0, "size=4m") != 0) GTEST_SKIP() << "needs the right to mount a small disk";
  const struct Unmount {
    const std::string& folder;
    ~Unmount() { ::umount2(folder.c_str(), MNT_DETACH); }
  } unmount{run};
  const pid_t process = start();
  wait_for_claims(".finished", 2);
  const std::string filler = run + "/logs";
  std::filesystem::create_directory(filler);
  std::ofstream(filler + "/full") << std::string(4 << 20, 'x');
  EXPECT_EQ(wait_child(process), 5) << said();
  EXPECT_THAT(said(), AllOf(HasSubstr("No space left on device"), HasSubstr("free some space and repeat the command")));
  const std::size_t published = merged().size();
  EXPECT_GE(published, 2 * 9u);
  EXPECT_EQ(left_in(cli.dir().path()).size(), 1u) << "the results that could not be published are kept";
  std::filesystem::remove_all(filler);
  EXPECT_EQ(wait_child(start()), 0) << said();
  EXPECT_EQ(merged(), undisturbed());
}

TEST_F(SharedRun, OptionsThatDoNotFitAreOneSentence) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& part, int code = 2) {
    std::vector<std::string> all = {"sweep", file, "--devices", "replay:" + recordings.string()};
    all.insert(all.end(), more.begin(), more.end());
    const CliResult result = cli.run(all);
    EXPECT_EQ(result.code, code) << part;
    EXPECT_THAT(result.err, AllOf(HasSubstr(part), Not(HasSubstr("\nwarptune:"))));
  };
  refused({"--shard", "0/2"}, "--shard needs --run DIR");
  refused({"--lease", "5s"}, "--lease needs --run DIR");
  refused({"--run", run, "--shard", "2/2"}, "shards are numbered from 0 to 1");
  refused({"--run", run, "--shard", "two"}, "--shard takes I/N");
  refused({"--run", run, "--shards", "4"}, "JOB_COMPLETION_INDEX");
  refused({"--run", run, "--shard", "0/2", "--shards", "2"}, "leave --shards out");
  refused({"--run", run, "--db", "w.db"}, "uses no --db");
  refused({"--run", run, "--lease", "0.5"}, "--lease takes at least 1s");
  refused({"--run", cli.dir().path().string()}, "has other files, such as ");
  refused({"--status", run}, "--status DIR takes neither a FILE nor --run");
  refused({"--cancel", run}, "--cancel DIR takes neither a FILE nor --run");
  refused({"--slurm"}, "--slurm needs --run DIR");
  for (const char* option : {"--partition", "--gpus", "--gres", "--time", "--account", "--sbatch-option"})
    refused({"--run", run, option, "x"}, std::string(option) + " needs --slurm");
  refused({"--run", run, "--array-limit", "2"}, "--array-limit needs --slurm");
  refused({"--run", run, "--slurm", "--shard", "0/2"}, "--slurm numbers its tasks itself");
  refused({"--run", run, "--slurm", "--gpus", "1", "--gres", "gpu:1"}, "both ask for GPUs");
  refused({"--run", run, "--slurm", "--sbatch-option", "constraint=x"}, "--sbatch-option takes an option");
  refused({"--run", run, "--slurm", "--trace", "t.json"}, "leave it out with --slurm");
  refused({"--run", file}, "cannot make", 5);
  refused({"--run", "/proc/no/run"}, "cannot make", 5);
  EXPECT_FALSE(std::filesystem::exists(run)) << "nothing is made by a command that is refused";

  EXPECT_EQ(cli.run(words({"--shard", "0/1"})).code, 0);
  refused({"--run", run, "--budget", "3"}, "has other jobs than");
  refused({"--run", run, "--lease", "7s"}, "has a lease of 1 s");
  std::ofstream(run + "/cancelled") << "";
  refused({"--run", run}, "was cancelled; --resume continues it");
  EXPECT_EQ(cli.run(words({"--resume"})).code, 0);
  EXPECT_FALSE(std::filesystem::exists(run + "/cancelled"));
  std::ofstream(run + "/run.json") << "{";
  refused({"--run", run}, "is damaged", 5);
}

TEST_F(SharedRun, TheStateIsShown) {
  const CliResult none = cli.run({"sweep", "--status", run});
  EXPECT_EQ(none.code, 5);
  EXPECT_THAT(none.err, HasSubstr("there is no run in "));
  const pid_t process = start(shard(3, 5));
  wait_for_claims(".finished", 2);
  ::kill(-process, SIGSTOP);
  nlohmann::json now = status();
  const nlohmann::json model = now["models"][0];
  EXPECT_EQ(model["device"], "NVIDIA H200");
  EXPECT_EQ(model["finished"].get<std::size_t>() + model["running"].get<std::size_t>() +
                model["waiting"].get<std::size_t>() + model["lost"].get<std::size_t>(),
            jobs);
  EXPECT_EQ(now["processes"][0]["shard"], 3);
  EXPECT_EQ(now["processes"][0]["alive"], true);
  EXPECT_EQ(now["complete"], false);
  ::usleep(1'200'000);
  now = status();
  EXPECT_EQ(now["processes"][0]["alive"], false);
  EXPECT_EQ(now["models"][0]["running"], 0);
  EXPECT_THAT(cli.run({"sweep", "--status", run}).out, HasSubstr("no process works on it; start the command again"));
  ::kill(-process, SIGCONT);
  EXPECT_EQ(wait_child(process), 0) << said();
  now = status();
  EXPECT_EQ(now["complete"], true);
  EXPECT_EQ(now["models"][0]["finished"], jobs);
  EXPECT_EQ(now["processes"][0]["jobs"], jobs);
  EXPECT_EQ(now["processes"][0]["trials"], jobs * 9);
  EXPECT_THAT(cli.run({"sweep", "--status", run}).out, HasSubstr("warptune merge -o all.db " + run));
}

TEST_F(SharedRun, ACancelledRunEndsAndContinues) {
  const pid_t process = start();
  wait_for_claims(".finished", 2);
  const CliResult cancelled = cli.run({"sweep", "--cancel", run});
  EXPECT_EQ(cancelled.code, 0) << cancelled.err;
  EXPECT_EQ(wait_child(process), 130);
  EXPECT_THAT(said(), AllOf(HasSubstr("the run was cancelled"), HasSubstr("--resume")));
  EXPECT_LT(count_claims(".finished"), jobs);
  EXPECT_EQ(cli.run(words()).code, 2);
  EXPECT_EQ(status()["cancelled"], true);
  EXPECT_EQ(cli.run(words({"--resume"})).code, 0);
  EXPECT_EQ(merged(), undisturbed());
}

TEST_F(SharedRun, AFailedJobIsRepeatedOnlyWhenAsked) {
  Recording bad = scale_recording();
  for (Trial& trial : bad.trials) {
    trial.status = TrialStatus::crashed;
    trial.evidence = "illegal address";
    trial.verdict.reset();
    trial.timing.reset();
  }
  ASSERT_TRUE(save_recording(bad, recordings / "rows=64.json"));
  EXPECT_EQ(cli.run(words()).code, 1);
  EXPECT_EQ(status()["models"][0]["failed"], 1);
  EXPECT_EQ(status()["failures"][0]["job"], "scale rows=64,cols=1024;fp32;mode=plain");
  EXPECT_EQ(cli.run(words()).code, 0) << "nothing left to do";
  EXPECT_EQ(count_claims(".failed"), 1u);
  EXPECT_EQ(cli.run(words({"--resume"})).code, 1);
  EXPECT_EQ(count_claims(".failed"), 2u);
  Recording good = scale_recording();
  ASSERT_TRUE(save_recording(good, recordings / "rows=64.json"));
  EXPECT_EQ(cli.run(words({"--resume"})).code, 0);
  EXPECT_EQ(status()["complete"], true);
  EXPECT_EQ(status()["models"][0]["failed"], 0);
}

TEST_F(SharedRun, EachModelDoesEveryJob) {
  const std::filesystem::path others = cli.dir() / "others";
  std::filesystem::create_directory(others);
  for (const auto& entry : std::filesystem::directory_iterator(recordings)) {
    auto recording = load_recording(entry.path());
    ASSERT_TRUE(recording);
    recording->device.name = "NVIDIA L4";
    ASSERT_TRUE(save_recording(*recording, others / entry.path().filename()));
  }
  const pid_t first = start(shard(0, 2));
  const CliResult second = cli.run(
      {"sweep", file, "--devices", "replay:" + others.string(), "--run", run, "--lease", "1s", "--shard", "1/2", "-q"});
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(wait_child(first), 0) << said();
  EXPECT_EQ(count_claims(".1.finished"), 2 * jobs);
  const nlohmann::json models = status()["models"];
  ASSERT_EQ(models.size(), 2u);
  for (const nlohmann::json& model : models) EXPECT_EQ(model["finished"], jobs);
  EXPECT_NE(models[0]["device"], models[1]["device"]);
}

TEST_F(SharedRun, TheScriptsForSlurmAreShown) {
  const CliResult shown =
      cli.run(words({"--slurm", "--dry-run", "--budget", "3", "--partition", "low", "--shards", "5"}));
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("#SBATCH --array=0-4\n"), HasSubstr("#SBATCH --partition=low\n"),
                               HasSubstr(" --budget 3 "), HasSubstr("merge -o \"$local/merged.db\" " + run)));
  EXPECT_THAT(shown.out, Not(HasSubstr("--gpus"))) << "recordings need none";
  EXPECT_FALSE(std::filesystem::exists(run));
}

// Without Slurm: programs of its names that do what they are told.
TEST_F(SharedRun, ASubmittedRunIsFrozenAndItsTasksDoIt) {
  const std::filesystem::path bin = cli.dir() / "bin";
  std::filesystem::create_directory(bin);
  const auto program = [&](const char* name, const std::string& text) {
    std::ofstream(bin / name) << "#!/bin/sh\necho \"" << name << " $*\" >> " << (cli.dir() / "asked").string() << "\n"
                              << text;
    std::filesystem::permissions(bin / name, std::filesystem::perms::owner_all);
  };
  const auto submit = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words({"--slurm"});
    all.insert(all.end(), more.begin(), more.end());
    return cli.run(all, [&] { ::setenv("PATH", (bin.string() + ":/usr/bin:/bin").c_str(), 1); });
  };
  program("sbatch", "echo no such partition >&2; exit 1\n");
  const CliResult refused = submit({"--partition", "x"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("no such partition"), HasSubstr("array.sh and submit it yourself")));
  program("sbatch", "echo '41;here'\n");
  program("scancel", "");
  const CliResult submitted = submit({"--shards", "3"});
  EXPECT_EQ(submitted.code, 0) << submitted.err;
  EXPECT_THAT(submitted.out, HasSubstr("submitted job 41 with 3 tasks"));
  EXPECT_THAT(read_text(cli.dir() / "asked"), AllOf(HasSubstr("--array=0-2 " + run + "/array.sh"),
                                                    HasSubstr("--dependency=afterany:41 " + run + "/merge.sh")));
  EXPECT_EQ(submit({}).code, 2) << "--resume is needed now";
  std::ofstream(file) << "edited";

  // A cancelled run: what waits is taken out of the queue.
  EXPECT_EQ(
      cli.run({"sweep", "--cancel", run}, [&] { ::setenv("PATH", (bin.string() + ":/usr/bin").c_str(), 1); }).code, 0);
  EXPECT_THAT(read_text(cli.dir() / "asked"), HasSubstr("scancel --state=PENDING 41\n"));
  const auto without_file = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = {"sweep", "--devices", "replay:" + recordings.string(), "--run", run};
    all.insert(all.end(), more.begin(), more.end());
    return cli.run(all, [&] { ::setenv("PATH", (bin.string() + ":/usr/bin:/bin").c_str(), 1); });
  };
  EXPECT_EQ(without_file({"--slurm", "--resume", "--shards", "2"}).code, 0) << "its own file needs no name";

  // What Slurm would start.
  const auto script = [&](const char* name) {
    return run_child([&] {
      ::setenv("TMPDIR", cli.dir().path().c_str(), 1);
      const int null = ::open("/dev/null", O_WRONLY);
      ::dup2(null, STDOUT_FILENO);
      return ::execl("/bin/bash", "bash", (run + "/" + name).c_str(), nullptr);
    });
  };
  EXPECT_EQ(script("array.sh"), 0);
  EXPECT_EQ(script("merge.sh"), 0);
  const MeasuredTrials all = trials_of(run + "/merged.db");
  EXPECT_EQ(all.size(), jobs * 9);
  EXPECT_THAT(without_file({"--slurm", "--resume"}).out, HasSubstr("nothing is missing"));
}

TEST_F(SharedRun, TheShardComesFromTheLauncher) {
  const auto shard_under = [&](const std::vector<std::pair<std::string, std::string>>& variables) {
    std::filesystem::remove_all(run);
    const CliResult result = cli.run(
        words(variables.size() == 1 ? std::vector<std::string>{"--shards", "9"} : std::vector<std::string>{}), [&] {
          for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
        });
    EXPECT_EQ(result.code, 0) << result.err;
    const auto entry = std::filesystem::directory_iterator(run + "/processes");
    return nlohmann::json::parse(read_text(entry->path())).value("shard", -1);
  };
  EXPECT_EQ(shard_under({{"SLURM_ARRAY_TASK_ID", "5"}, {"SLURM_ARRAY_TASK_COUNT", "8"}}), 5);
  EXPECT_EQ(shard_under({{"JOB_COMPLETION_INDEX", "7"}}), 7);
}

} // namespace
} // namespace warptune
