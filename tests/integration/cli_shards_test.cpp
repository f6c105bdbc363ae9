// `sweep --run`: processes that share a sweep, are stopped, wait as a reserve, and show their state.
#include "support/shared_run.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(SharedRun, ThreeProcessesDoEachJobOnce) {
  const std::vector<pid_t> processes = start_all(3);
  for (const pid_t process : processes) EXPECT_EQ(wait_child(process), 0) << said();
  EXPECT_EQ(claims().size(), 2 * jobs);
  EXPECT_EQ(count_claims(".1.finished"), jobs);
  EXPECT_EQ(merged(), undisturbed());
  EXPECT_THAT(left_locally(), testing::IsEmpty());
  // Another process finds nothing to do.
  const CliResult again = cli.run(words());
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("0 jobs: nothing to do"));
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
  // The session of the job that was handed back was continued: there is one session per job.
  const auto reader = Reader::open(cli.dir() / "merged.db");
  EXPECT_EQ(reader->sessions()->size(), jobs);
}

TEST_F(SharedRun, ItsDatabasesAreMergedAsOneInput) {
  const pid_t first = start();
  wait_for_claims(".finished", 2);
  ::kill(first, SIGTERM);
  EXPECT_EQ(wait_child(first), 130) << said();
  const std::string out = (cli.dir() / "part.db").string();
  const CliResult part = cli.run({"merge", "-o", out, run});
  EXPECT_EQ(part.code, 0) << part.err;
  EXPECT_THAT(part.out, AllOf(HasSubstr(run + " (1 database)  "), Not(HasSubstr("total"))));
  const std::string left = std::to_string(jobs - count_claims(".finished"));
  EXPECT_THAT(part.out,
              HasSubstr("note: the run in " + run + " is not finished: " + left + " of 24 jobs have no result yet"));
  EXPECT_EQ(cli.run(words()).code, 0);
  const CliResult all = cli.run({"merge", "-o", out, run});
  EXPECT_THAT(all.out, AllOf(HasSubstr(run + " (2 databases)  "), Not(HasSubstr("not finished"))));
}

TEST_F(SharedRun, AFinishedRunIsNotCancelled) {
  EXPECT_EQ(cli.run(words()).code, 0);
  const CliResult cancelled = cli.run({"sweep", "--cancel", run});
  EXPECT_EQ(cancelled.code, 0) << cancelled.err;
  EXPECT_EQ(cancelled.out, "nothing was left to cancel: the run in " + run + " is done\n");
  EXPECT_EQ(nlohmann::json::parse(cli.run({"sweep", "--cancel", run, "--json"}).out)["cancelled"], false);
  EXPECT_EQ(status()["cancelled"], false);
  EXPECT_EQ(cli.run(words()).code, 0) << "it needs no --resume";
}

// Few jobs, so that the rest is done long before the lease ends.
struct SmallSharedRun : SharedRun {
  SmallSharedRun() : SharedRun(2) {}
};

// As a sweep without --run does.
TEST_F(SmallSharedRun, ProgressCountsTheJobThatHasJustEnded) {
  std::vector<std::string> loud = words();
  std::erase(loud, "-q");
  const CliResult result = cli.run(loud);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("[1/2] scale"), HasSubstr("[2/2] scale"), HasSubstr("\nNext:\n"),
                                Not(HasSubstr("[0/2]"))));
}

TEST_F(SmallSharedRun, AProcessInReserveTakesOverTheLastJob) {
  const pid_t worker = start(shard(0, 3));
  wait_for_claims(".1", 1);
  ::kill(-worker, SIGSTOP); // lost for the other processes, and back later
  const pid_t second = start(shard(1, 3)), third = start(shard(2, 3));
  EXPECT_EQ(wait_child(second), 0) << said();
  EXPECT_EQ(wait_child(third), 0) << said();
  EXPECT_EQ(count_claims(".2.finished"), 1u) << "the job of the process that does not answer";
  // Its measurements come late, but are not lost.
  ::kill(-worker, SIGCONT);
  EXPECT_EQ(wait_child(worker), 0) << said();
  EXPECT_EQ(count_claims(".1.finished"), jobs);
  EXPECT_EQ(merged(), undisturbed());
}

TEST_F(SmallSharedRun, AProcessInReserveThatIsStoppedIsNotDone) {
  EXPECT_EQ(cli.run(words()).code, 0);
  const auto far = std::make_unique<FarProcess>(folder("processes") / "00000-far-1-00000000");
  give_to(*far, "00001-");
  const auto is_there = [&] {
    const auto names = files_in("processes");
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name.find('.') == std::string::npos && name != far->id();
    });
  };
  const pid_t reserve = start(shard(1, 2));
  while (!is_there()) ::usleep(2000);
  ::usleep(300'000);
  EXPECT_TRUE(is_there()) << "it waits";
  ::kill(reserve, SIGTERM);
  EXPECT_EQ(wait_child(reserve), 130) << said();
  EXPECT_THAT(said(), HasSubstr("To resume:"));
  EXPECT_EQ(count_claims(".finished"), jobs - 1);
}

// A process that was killed between two jobs has no job, and looks alive until its lease ends.
TEST_F(SmallSharedRun, AKilledProcessIsNotTheReserve) {
  const pid_t worker = start(shard(2, 3));
  wait_for_claims(".1", 1);
  ::kill(-worker, SIGKILL);
  (void)wait_child(worker);
  const std::filesystem::path record = folder("processes") / files_in("processes").front();
  std::filesystem::copy_file(record, folder("processes") / "00000-killed-1-00000000");
  EXPECT_EQ(wait_child(start(shard(1, 3))), 0) << said();
  EXPECT_EQ(count_claims(".finished"), jobs) << "the job of the killed process was left";
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
  refused({"--run", run, "--db", "w.db"}, "cannot be combined with --db");
  refused({"--run", run, "--lease", "0.5"}, "--lease takes a time from 1s to 24h, such as 90s or 2m, not '0.5'");
  refused({"--run", cli.dir().path().string()}, "contains other files, such as ");
  refused({"--status", run}, "--status DIR takes neither a FILE nor --run");
  refused({"--cancel", run}, "--cancel DIR takes neither a FILE nor --run");
  refused({"--slurm"}, "--slurm needs --run DIR");
  for (const char* option : {"--partition", "--gpus", "--gres", "--time", "--account", "--sbatch-option"})
    refused({"--run", run, option, "x"}, std::string(option) + " needs --slurm");
  refused({"--run", run, "--array-limit", "2"}, "--array-limit needs --slurm");
  refused({"--run", run, "--slurm", "--shard", "0/2"}, "--slurm numbers its tasks itself");
  refused({"--run", run, "--slurm", "--gpus", "1", "--gres", "gpu:1"}, "both request GPUs");
  refused({"--run", run, "--slurm", "--sbatch-option", "constraint=x"}, "--sbatch-option takes an option");
  refused({"--run", run, "--slurm", "--trace", "t.json"}, "leave --trace out");
  refused({"--run", file}, "cannot make", 5);
  refused({"--run", "/proc/no/run"}, "cannot make", 5);
  EXPECT_FALSE(std::filesystem::exists(run)) << "nothing is made by a command that is refused";

  EXPECT_EQ(cli.run(words({"--shard", "0/1"})).code, 0);
  refused({"--run", run, "--budget", "3"}, "differ from those of");
  const CliResult folder_as_file = cli.run({"sweep", run, "--resume"});
  EXPECT_EQ(folder_as_file.code, 2);
  EXPECT_THAT(folder_as_file.err, AllOf(HasSubstr(run + " is a run folder, not a sweep file; "), HasSubstr(file),
                                        HasSubstr("to continue the run, repeat the command that made it: `")));
  // A shipped sweep and a run folder may have the same name.
  std::filesystem::create_directory(cli.dir() / "llm");
  std::filesystem::copy_file(run + "/run.json", cli.dir() / "llm" / "run.json");
  cli.set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string());
  EXPECT_EQ(cli.run({"sweep", "llm", "--dry-run"}, [&] { (void)!::chdir(cli.dir().path().c_str()); }).code, 0);
  cli.set("WARPTUNE_TEMPLATES", (data_dir() / "specs").string());
  const CliResult no_file = cli.run({"sweep", "--run", run});
  EXPECT_EQ(no_file.code, 2);
  EXPECT_THAT(no_file.err,
              AllOf(HasSubstr("sweep needs a FILE; the run in " + run + " was made with `"), HasSubstr(file)));
  refused({"--run", run, "--lease", "7s"}, "have a lease of 1 s; leave --lease out");
  std::ofstream(run + "/cancelled") << "";
  refused({"--run", run}, "was cancelled; --resume continues it");
  EXPECT_EQ(cli.run(words({"--resume"})).code, 0);
  EXPECT_FALSE(std::filesystem::exists(run + "/cancelled"));
  std::filesystem::create_directories(run + "/cancelled/something");
  refused({"--run", run, "--resume"}, "the run stays cancelled, because " + run + "/cancelled cannot be removed", 5);
  std::filesystem::remove_all(run + "/cancelled");
  EXPECT_THAT(cli.run({"show", "best", "--db", run + "/merged.db"}).err,
              HasSubstr("`warptune sweep --status " + run + "`"));
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
  EXPECT_THAT(cli.run({"sweep", "--status", run}).out,
              HasSubstr("no process is working on the run; repeat the command that made the run"));
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
  const CliResult rest = cli.run(words());
  EXPECT_EQ(rest.code, 0) << "nothing left to do";
  EXPECT_THAT(rest.out, HasSubstr("1 job of this run has failed before; --resume tries it again"));
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
