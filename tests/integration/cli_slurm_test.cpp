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
                               HasSubstr(" --budget 3 "), HasSubstr("merge -o \"$local/merged.db\" " + run)));
  EXPECT_THAT(shown.out, Not(HasSubstr("--gpus"))) << "recordings need none";
  EXPECT_FALSE(std::filesystem::exists(run));
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
    return cli.run(all, [&] { ::setenv("PATH", (bin.string() + ":/usr/bin:/bin").c_str(), 1); });
  }
  const std::filesystem::path bin = cli.dir() / "bin";
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

TEST_F(SubmittedRun, IsFrozenAndItsTasksDoIt) {
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

  EXPECT_THAT(cli.run({"sweep", "--status", run}).out, HasSubstr("if `squeue --me` shows none of its tasks"));

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
  EXPECT_THAT(cli.run({"sweep", "--status", run}).out, HasSubstr("the merge job writes " + run + "/merged.db"));
}

} // namespace
} // namespace warptune
