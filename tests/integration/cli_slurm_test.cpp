// `sweep --slurm`: the scripts, the frozen files, and the submitted jobs; without Slurm (tests/slurm uses a real one).
#include "support/shared_run.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(SharedRun, TheScriptsForSlurmAreShown) {
  const CliResult shown =
      cli.run(words({"--slurm", "--dry-run", "--budget", "3", "--partition", "low", "--shards", "5"}));
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("#SBATCH --array=0-4\n"), HasSubstr("#SBATCH --partition=low\n"),
                               HasSubstr(" --budget 3 "), HasSubstr("merge -o merged.db " + run)));
  EXPECT_THAT(shown.out, Not(HasSubstr("--gpus"))) << "recordings need none";
  EXPECT_THAT(cli.run(words({"--slurm", "--dry-run", "--shards", "5000"})).out,
              HasSubstr("#SBATCH --array=0-" + std::to_string(jobs - 1) + "\n"));
  EXPECT_FALSE(std::filesystem::exists(run));
}

TEST_F(SharedRun, ATaskWithAGpuAsksForCores) {
  const std::vector<std::string> gpu = {"sweep", file, "--run", run, "--slurm", "--dry-run"};
  const auto shown = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = gpu;
    all.insert(all.end(), more.begin(), more.end());
    return cli.run(all).out;
  };
  EXPECT_THAT(shown({}), AllOf(HasSubstr("#SBATCH --gpus=1\n#SBATCH --cpus-per-task=8\n"), HasSubstr("--devices all")));
  EXPECT_THAT(shown({"--gpus", "0"}), Not(HasSubstr("--cpus-per-task")));
  EXPECT_THAT(shown({"--gpus", "h200:4"}), AllOf(HasSubstr("#SBATCH --nodes=1\n"), HasSubstr("--cpus-per-task=32\n")));
  EXPECT_THAT(shown({"--gres", "gpu:h200:2"}), HasSubstr("--cpus-per-task=16\n"));
  EXPECT_THAT(shown({"--gres", "tmp:100,gpu:2"}), HasSubstr("--cpus-per-task=16\n"));
  EXPECT_THAT(shown({"--gpus", "9000000000000000000"}), HasSubstr("--cpus-per-task=512\n"));
  EXPECT_THAT(shown({"--sbatch-option=--export="}), HasSubstr("#SBATCH --export=\n"));
  EXPECT_THAT(shown({"--gres", "gpu"}), HasSubstr("--cpus-per-task=8\n"));
  EXPECT_THAT(shown({"--gres", "gpu:2", "--cpus-per-task", "5"}), HasSubstr("#SBATCH --cpus-per-task=5\n"));
  EXPECT_THAT(shown({"--sbatch-option=--comment=two words"}), HasSubstr("#SBATCH --comment='two words'\n"));
  EXPECT_THAT(shown({"--merge-option=--qos=short"}),
              testing::ContainsRegex("job-name=warptune-merge-run\n(.*\n)*#SBATCH --qos=short\n"));
}

TEST_F(SharedRun, WhatAScriptCannotContainIsRefused) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& part) {
    std::vector<std::string> all = words({"--slurm", "--dry-run"});
    all.insert(all.end(), more.begin(), more.end());
    const CliResult result = cli.run(all);
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr(part));
  };
  for (const char* option : {"--partition", "--gpus", "--gres", "--time", "--account"})
    refused({option, "a\n#SBATCH --exclusive"},
            std::string(option) + " 'a\\n#SBATCH --exclusive' contains a line break");
  refused({"--sbatch-option=--qos=a\rb"}, "--sbatch-option '--qos=a\\rb' contains a line break");
  refused({"--sbatch-option=--array=0-1"}, "--shards and --array-limit decide the tasks of the array");
  refused({"--qos", "high"},
          "sweep has no option '--qos'; if it is an option of sbatch, write --sbatch-option=--qos=VALUE");
  refused({"--merge-option=qos"}, "--merge-option takes an option of sbatch with its leading dashes");
  const auto in_folder = [&](const std::string& folder, const std::string& part) {
    const CliResult result = cli.run({"sweep", file, "--run", (cli.dir() / folder).string(), "--slurm", "--dry-run"});
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr(part));
  };
  in_folder("a:b", "has a colon, but the tasks need this path in WARPTUNE_TEMPLATES");
  in_folder("a\nb", "contains a line break");
  in_folder("a\\b", "has a backslash, which Slurm removes");
  const CliResult percent = cli.run({"sweep", file, "--run", (cli.dir() / "a%j").string(), "--slurm", "--dry-run"});
  EXPECT_THAT(percent.out, HasSubstr("/a%%j/logs/%A_%a.log\n"));
  EXPECT_THAT(percent.out, HasSubstr(" --run " + (cli.dir() / "a%j").string() + "\n"));
}

// Instead of Slurm: programs with its names that only do what the test needs.
class SubmittedRun : public SharedRun {
 protected:
  SubmittedRun() { std::filesystem::create_directory(bin); }
  void program(const char* name, const std::string& text) {
    std::ofstream(bin / name) << "#!/bin/sh\necho \"" << name << " $*\" >> " << (cli.dir() / "asked").string() << "\n"
                              << text;
    std::filesystem::permissions(bin / name, std::filesystem::perms::owner_all);
  }
  CliResult submit(const std::vector<std::string>& more) {
    std::vector<std::string> all = words({"--slurm"});
    all.insert(all.end(), more.begin(), more.end());
    return cli.run(all, [&] { ::setenv("PATH", path.c_str(), 1); });
  }
  const std::filesystem::path bin = cli.dir() / "bin";
  std::string path = bin.string() + ":/usr/bin:/bin";
};

TEST_F(SubmittedRun, AnArrayWhoseMergeJobIsRefusedIsNamed) {
  program("sbatch", "case $* in *merge.sh) echo no such qos >&2; exit 1;; esac; echo 41\n");
  const CliResult refused = submit({"--shards", "3"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("job 41 was submitted with its tasks"), HasSubstr("no such qos"),
                                 HasSubstr("sbatch --dependency=afterany:41 " + run + "/merge.sh")));
  program("squeue", "echo 41\n");
  program("scancel", "");
  const CliResult cancelled =
      cli.run({"sweep", "--cancel", run}, [&] { ::setenv("PATH", (bin.string() + ":/usr/bin").c_str(), 1); });
  EXPECT_THAT(read_text(cli.dir() / "asked"), HasSubstr("scancel --state=PENDING 41")) << cancelled.err;
}

TEST_F(SubmittedRun, WithoutSbatchNothingIsWritten) {
  path = bin.string(); // this machine may have Slurm
  const CliResult refused = submit({});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("sbatch was not found, so nothing was submitted"), HasSubstr("--no-submit")));
  EXPECT_FALSE(std::filesystem::exists(run));
  // A cancelled run stays cancelled.
  EXPECT_EQ(submit({"--no-submit"}).code, 0);
  EXPECT_EQ(cli.run({"sweep", "--cancel", run}).code, 0);
  EXPECT_EQ(submit({"--resume"}).code, 2);
  EXPECT_TRUE(status()["cancelled"]);
}

TEST_F(SubmittedRun, ItsScriptsCanBeSubmittedByHand) {
  const CliResult written = submit({"--no-submit", "--shards", "3"});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_THAT(written.out, AllOf(HasSubstr("submitted nothing"), HasSubstr("--array=0-2 " + run + "/array.sh"),
                                 HasSubstr("--dependency=afterany:N " + run + "/merge.sh")));
  EXPECT_TRUE(std::filesystem::exists(folder("frozen") / "bin" / "warptune"));
  EXPECT_TRUE(std::filesystem::is_directory(folder("logs"))) << "without it, Slurm fails each task";
  EXPECT_THAT(cli.run({"sweep", "--status", run}).out,
              HasSubstr("no process has started; to start the tasks, use `sbatch " + run + "/array.sh`"));
  program("sbatch", "echo 41\n");
  EXPECT_EQ(submit({}).code, 0) << "it was not submitted yet";
}

TEST_F(SubmittedRun, ResumesWithTheSameOptionsAndChangedScripts) {
  program("sbatch", "echo 41\n");
  const auto array = [&] { return read_text(folder("array.sh")); };
  EXPECT_EQ(submit({"--partition", "low", "--time", "30", "--sbatch-option=--qos=x", "--merge-option=--mem=1G"}).code,
            0);
  EXPECT_THAT(cli.run({"sweep", "--status", run}).out,
              HasSubstr("see the output of the earlier tasks in " + run + "/logs, and repeat"));
  EXPECT_EQ(submit({"--resume", "--time", "60"}).code, 0);
  EXPECT_THAT(array(), AllOf(HasSubstr("--partition=low\n"), HasSubstr("--time=60\n"), HasSubstr("--qos=x\n")));
  EXPECT_THAT(read_text(folder("merge.sh")), AllOf(HasSubstr("--partition=low\n"), HasSubstr("--mem=1G\n")));
  std::ofstream(folder("array.sh"), std::ios::app) << "# mine\n";
  const CliResult kept = submit({"--resume", "--time", "90"});
  EXPECT_EQ(kept.code, 0) << kept.err;
  EXPECT_THAT(kept.err, AllOf(HasSubstr(run + "/array.sh was edited"), Not(HasSubstr("merge.sh"))));
  EXPECT_THAT(array(), AllOf(HasSubstr("--time=60\n"), HasSubstr("# mine\n")));
  std::filesystem::remove(folder("array.sh"));
  EXPECT_THAT(submit({"--resume"}).err, Not(HasSubstr("was edited")));
  EXPECT_THAT(array(), AllOf(HasSubstr("--time=90\n"), HasSubstr("--partition=low\n"), Not(HasSubstr("# mine\n"))));
  std::ofstream(folder("frozen") / "scripts" / "options.json") << "{}";
  const CliResult damaged = submit({"--resume"});
  EXPECT_EQ(damaged.code, 5);
  EXPECT_THAT(damaged.err, HasSubstr("options.json is damaged; delete it"));
}

TEST_F(SubmittedRun, ResumesWithWhatDecidesTheMeasurements) {
  program("sbatch", "echo 41\n");
  EXPECT_EQ(submit({"--shards", "2", "--budget", "3", "--seed", "7", "--energy"}).code, 0);
  std::ofstream(folder("cancelled")) << "";
  std::filesystem::remove(folder("array.sh"));
  const auto resume = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"sweep", "--run", run, "--slurm", "--resume"});
    return cli.run(more, [&] { ::setenv("PATH", path.c_str(), 1); });
  };
  program("sbatch", "echo no such limit >&2; exit 1\n");
  EXPECT_EQ(resume({"--array-limit", "1"}).code, 2);
  EXPECT_TRUE(std::filesystem::exists(folder("cancelled"))) << "nothing was submitted";
  program("sbatch", "echo 42\n");
  program("squeue", "echo 41; echo 7\n");
  const CliResult resumed = resume({});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("note: tasks of job 41 are still in Slurm's queue"));
  EXPECT_FALSE(std::filesystem::exists(folder("cancelled")));
  EXPECT_THAT(read_text(folder("array.sh")),
              AllOf(HasSubstr("#SBATCH --array=0-1\n"), HasSubstr(" --devices recorded:"), HasSubstr(" --budget 3 "),
                    HasSubstr(" --seed 7 "), HasSubstr(" --energy"), Not(HasSubstr("--gpus"))));
}

TEST_F(SubmittedRun, DefaultsAreThoseOfTheNewOptions) {
  EXPECT_EQ(submit({"--no-submit", "--gpus", "1"}).code, 0);
  EXPECT_THAT(read_text(folder("array.sh")), HasSubstr("--cpus-per-task=8\n"));
  EXPECT_EQ(submit({"--no-submit", "--resume", "--gpus", "4"}).code, 0);
  EXPECT_THAT(read_text(folder("array.sh")), HasSubstr("--gpus=4\n#SBATCH --cpus-per-task=32\n"));
  EXPECT_EQ(submit({"--no-submit", "--resume", "--gpus", "0"}).code, 0);
  EXPECT_THAT(read_text(folder("array.sh")), Not(HasSubstr("--cpus-per-task")));
}

TEST_F(SubmittedRun, IsFrozenAndItsTasksDoIt) {
  program("sbatch", "echo no such partition >&2; exit 1\n");
  const CliResult refused = submit({"--partition", "x"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("no such partition"),
                    HasSubstr("; nothing was submitted; repeat the command with other options (--partition,"),
                    HasSubstr("array.sh and submit it yourself")));
  program("sbatch", "echo '41;here'\n");
  program("scancel", "");
  const CliResult submitted = submit({"--shards", "3"});
  EXPECT_EQ(submitted.code, 0) << submitted.err;
  EXPECT_THAT(submitted.out, HasSubstr("submitted job 41 with 3 tasks"));
  EXPECT_THAT(read_text(cli.dir() / "asked"), AllOf(HasSubstr("--array=0-2 " + run + "/array.sh"),
                                                    HasSubstr("--dependency=afterany:41 " + run + "/merge.sh")));
  EXPECT_EQ(submit({}).code, 2) << "--resume is needed now";
  std::ofstream(file) << "edited";

  EXPECT_THAT(cli.run({"sweep", "--status", run}).out,
              HasSubstr("no task of the run has started; `squeue --job 41` shows"));

  // A cancelled run: waiting tasks leave the queue. Slurm refuses a job that it has forgotten, such as an array from
  // before a --resume.
  const auto cancel = [&] {
    return cli.run({"sweep", "--cancel", run}, [&] { ::setenv("PATH", (bin.string() + ":/usr/bin").c_str(), 1); });
  };
  program("scancel", "[ \"$*\" = '--state=PENDING 41' ]\n");
  program("squeue", "echo 7; echo 41; echo 41\n");
  std::ofstream(folder("arrays") / "40") << "";
  const CliResult cancelled = cancel();
  EXPECT_EQ(cancelled.code, 0) << cancelled.err;
  EXPECT_THAT(cancelled.out,
              AllOf(HasSubstr("no process is working on it"), HasSubstr("removed the waiting tasks of Slurm job 41")));
  program("squeue", "");
  program("scancel", "exit 1\n");
  EXPECT_EQ(cancel().code, 0) << "nothing waits, so nothing is removed";
  std::filesystem::remove(bin / "squeue");
  const CliResult elsewhere = cancel();
  EXPECT_EQ(elsewhere.code, 2);
  EXPECT_THAT(elsewhere.err, HasSubstr("the run is cancelled, but waiting tasks could not be removed from the queue"));
  const auto without_file = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = {"sweep", "--devices", "replay:" + recordings.string(), "--run", run};
    all.insert(all.end(), more.begin(), more.end());
    return cli.run(all, [&] { ::setenv("PATH", (bin.string() + ":/usr/bin:/bin").c_str(), 1); });
  };
  EXPECT_EQ(without_file({"--slurm", "--resume", "--shards", "2"}).code, 0) << "its own file needs no name";

  // Runs what Slurm would start.
  const auto start_script = [&](const char* name) {
    return start_child([&] {
      ::setenv("SLURM_ARRAY_JOB_ID", "39", 1);
      ::setenv("TMPDIR", cli.dir().path().c_str(), 1);
      const int null = ::open("/dev/null", O_WRONLY);
      ::dup2(null, STDOUT_FILENO);
      return ::execl("/bin/bash", "bash", (run + "/" + name).c_str(), nullptr);
    });
  };
  EXPECT_EQ(wait_child(start_script("array.sh")), 0);
  EXPECT_THAT(cli.run({"sweep", "--status", run}).out, HasSubstr("the merge job will write " + run + "/merged.db"));
  // Two at once, as after a --resume while the first one waits.
  const pid_t one = start_script("merge.sh"), other = start_script("merge.sh");
  EXPECT_EQ(wait_child(one), 0);
  EXPECT_EQ(wait_child(other), 0);
  for (const auto& entry : std::filesystem::directory_iterator(run))
    if (const std::string name = entry.path().filename().string(); name.starts_with("merged")) {
      EXPECT_EQ(name, "merged.db");
    }
  EXPECT_TRUE(std::filesystem::exists(folder("arrays") / "39")) << "--cancel finds an array that was submitted by hand";
  const MeasuredTrials all = trials_of(run + "/merged.db");
  EXPECT_EQ(all.size(), jobs * 9);
  EXPECT_THAT(without_file({"--slurm", "--resume"}).out,
              HasSubstr("no result is missing; " + run + "/merged.db has all results"));
  EXPECT_THAT(cli.run({"sweep", "--status", run}).out, HasSubstr("done; " + run + "/merged.db has all results"));
  EXPECT_EQ(cancel().code, 0) << "a finished run needs no squeue";
  // A result is missing: the database has the others, and the job says so.
  std::filesystem::copy_file(folder("results") / files_in("results").front(), folder("results") / "other.db");
  std::filesystem::remove(folder("results") / files_in("results").front());
  EXPECT_EQ(wait_child(start_script("merge.sh")), 1);
  EXPECT_EQ(trials_of(run + "/merged.db").size(), jobs * 9);
}

} // namespace
} // namespace warptune
