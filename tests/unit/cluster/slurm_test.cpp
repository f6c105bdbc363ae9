// The scripts of a run as texts, and the numbers of the submitted arrays.
#include "cluster/slurm.h"
#include "support/child.h"
#include "support/temp_dir.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace warptune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

namespace fs = std::filesystem;

SlurmScripts scripts() {
  return {"/shared/my run",
          "/shared/my run/frozen/bin/warptune",
          "/shared/my run/frozen/kernel_templates",
          {"sweep", "/shared/my run/frozen/sweep.json", "--budget", "60s"}};
}

TEST(SlurmScriptTexts, HaveTheOptionsThatAreGiven) {
  SlurmOptions options;
  options.tasks = 8;
  const std::string plain = array_script(scripts(), options);
  EXPECT_THAT(plain, AllOf(HasSubstr("#!/bin/bash\n"), HasSubstr("\n#SBATCH --array=0-7\n"),
                           HasSubstr("\n#SBATCH --requeue\n"), HasSubstr("\n#SBATCH --signal=B:TERM@60\n"),
                           HasSubstr("\n#SBATCH --job-name=warptune-my_run\n"), Not(HasSubstr("--partition")),
                           Not(HasSubstr("--gpus")), Not(HasSubstr("--time="))));
  EXPECT_THAT(plain, HasSubstr("\nexec '/shared/my run/frozen/bin/warptune' sweep '/shared/my run/frozen/sweep.json' "
                               "--budget 60s --run '/shared/my run'\n"));
  options.partition = "h200";
  options.gpus = "2";
  options.time = "4:00:00";
  options.account = "ml";
  options.array_limit = 3;
  options.more = {"--constraint=a&b", "--exclusive"};
  EXPECT_THAT(array_script(scripts(), options),
              AllOf(HasSubstr("\n#SBATCH --array=0-7%3\n"), HasSubstr("\n#SBATCH --partition=h200\n"),
                    HasSubstr("\n#SBATCH --gpus=2\n"), HasSubstr("\n#SBATCH --time=4:00:00\n"),
                    HasSubstr("\n#SBATCH --account=ml\n"), HasSubstr("\n#SBATCH --constraint='a&b'\n"),
                    HasSubstr("\n#SBATCH --exclusive\n")));
  EXPECT_THAT(merge_script(scripts(), options),
              AllOf(HasSubstr("\n#SBATCH --partition=h200\n"), HasSubstr("\n#SBATCH --account=ml\n"),
                    Not(HasSubstr("--gpus")), Not(HasSubstr("--array"))));
}

// Programs with the names of Slurm's commands, instead of Slurm (tests/slurm has a real one).
struct SubmittedArrays : testing::Test {
  test::TempDir dir;
  const fs::path run = dir / "run", bin = dir / "bin";
  SubmittedArrays() {
    for (const fs::path& folder : {run, bin}) fs::create_directory(folder);
    program("sbatch", "echo $$");
    program("squeue", "cat '" + (dir / "waiting").string() + "'");
    program("scancel", "echo \"$*\" > '" + (dir / "removed").string() + "'");
  }
  void program(const char* name, const std::string& text) const {
    std::ofstream(bin / name) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(bin / name, fs::perms::owner_all);
  }
  // Calls `body` in a process with these programs.
  int with_slurm(const std::function<int()>& body) const {
    return test::run_child([&] {
      ::setenv("PATH", (bin.string() + ":/usr/bin:/bin").c_str(), 1);
      return body();
    });
  }
  std::vector<std::string> numbers() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(run / "arrays")) names.push_back(entry.path().filename().string());
    return names;
  }
  void write_number(const std::string& name) const {
    fs::create_directories(run / "arrays");
    std::ofstream(run / "arrays" / name) << "";
  }
};

TEST_F(SubmittedArrays, SubmissionsAtTheSameTimeKeepAllNumbers) {
  constexpr std::size_t kCommands = 12;
  EXPECT_FALSE(was_submitted(run));
  std::vector<pid_t> commands;
  for (std::size_t i = 0; i < kCommands; ++i)
    commands.push_back(test::start_child([&] {
      return with_slurm([&] {
        const auto jobs = submit_run(run, 2, 0);
        return jobs && fs::exists(run / "arrays" / jobs->array) && !fs::exists(run / "arrays" / jobs->merge) ? 0 : 1;
      });
    }));
  for (const pid_t command : commands) EXPECT_EQ(test::wait_child(command), 0);
  EXPECT_THAT(numbers(), SizeIs(kCommands));
  EXPECT_TRUE(was_submitted(run));
}

TEST_F(SubmittedArrays, ARefusedOneHasNoNumber) {
  program("sbatch", "exit 1");
  EXPECT_EQ(with_slurm([&] { return submit_run(run, 2, 0) ? 1 : 0; }), 0);
  EXPECT_THAT(numbers(), IsEmpty());
  EXPECT_FALSE(was_submitted(run));
  EXPECT_EQ(with_slurm([&] { return cancel_waiting(run).value().empty() ? 0 : 1; }), 0);
  EXPECT_FALSE(fs::exists(dir / "removed"));
}

// A full disk must be detected before Slurm has an array that nothing can cancel.
TEST_F(SubmittedArrays, NothingIsSubmittedIfItsNumberCannotBeStored) {
  std::ofstream(run / "arrays") << "no folder";
  program("sbatch", "touch '" + (dir / "asked").string() + "'; echo 5");
  EXPECT_EQ(with_slurm([&] { return submit_run(run, 2, 0) ? 1 : 0; }), 0);
  EXPECT_FALSE(fs::exists(dir / "asked"));
}

TEST_F(SubmittedArrays, WaitingOnesAreRemovedByTheirNumbers) {
  for (const char* name : {"9", "10", "400", "notes.txt", "11.1-2-3.tmp", "-12"}) write_number(name);
  std::ofstream(dir / "waiting") << "10\n9\n10\n7\n";
  EXPECT_EQ(with_slurm([&] {
              const auto arrays = cancel_waiting(run);
              EXPECT_THAT(*arrays, ElementsAre("9", "10"));
              return testing::Test::HasFailure() ? 1 : 0;
            }),
            0);
  std::string removed;
  std::getline(std::ifstream(dir / "removed"), removed);
  EXPECT_EQ(removed, "--state=PENDING 9 10");
}

TEST_F(SubmittedArrays, OtherNamesAreNoNumbers) {
  for (const char* name : {"notes.txt", "11.1-2-3.tmp", "-12"}) write_number(name);
  EXPECT_FALSE(was_submitted(run));
  write_number("12");
  EXPECT_TRUE(was_submitted(run));
}

} // namespace
} // namespace warptune
