// The scripts of a run as texts, and the frozen copy that they start.
#include "cluster/frozen_sweep.h"
#include "cluster/slurm.h"
#include "support/temp_dir.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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
                    HasSubstr("\n#SBATCH --account=ml\n"), HasSubstr("\n#SBATCH --constraint=a&b\n"),
                    HasSubstr("\n#SBATCH --exclusive\n")));
  EXPECT_THAT(merge_script(scripts(), options),
              AllOf(HasSubstr("\n#SBATCH --partition=h200\n"), HasSubstr("\n#SBATCH --account=ml\n"),
                    Not(HasSubstr("--gpus")), Not(HasSubstr("--array"))));
}

TEST(FrozenSweeps, HaveCopiesOfAllThatTheSweepNames) {
  const test::TempDir dir;
  const auto write = [&](const std::string& name, const std::string& text) {
    fs::create_directories((dir / name).parent_path());
    std::ofstream(dir / name) << text;
  };
  write("sweeps/s.json", R"({"warptune_sweep": 1, "jobs": [{"kernel": "../norm", "also": ["../fast"]},
                             {"kernel": "../norm/"}, {"kernel": "softmax"}]})");
  write("norm/spec.json", "mine");
  write("fast/kernel.cu", "fast");
  write("one/softmax/spec.json", "shipped");
  write("two/softmax/spec.json", "hidden");
  write("two/gemm/spec.json", "shipped too");
  write("more/kernel.cu", "more");
  const fs::path run = dir / "run";
  EXPECT_FALSE(is_frozen(run));
  const auto frozen =
      freeze_sweep(run, dir / "sweeps/s.json", {dir / "one", dir / "two", dir / "none"}, {(dir / "more").string()});
  ASSERT_TRUE(frozen) << frozen.error().message;
  for (const char* edited :
       {"norm/spec.json", "fast/kernel.cu", "one/softmax/spec.json", "more/kernel.cu", "sweeps/s.json"})
    write(edited, "edited");
  const auto read = [](const fs::path& file) {
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const auto sweep = nlohmann::json::parse(read(frozen->sweep));
  const fs::path folder = frozen->sweep.parent_path();
  EXPECT_EQ(read(folder / sweep["jobs"][0]["kernel"].get<std::string>() / "spec.json"), "mine");
  EXPECT_EQ(read(folder / sweep["jobs"][0]["also"][0].get<std::string>() / "kernel.cu"), "fast");
  EXPECT_EQ(sweep["jobs"][1]["kernel"], sweep["jobs"][0]["kernel"]) << "one copy of one folder";
  EXPECT_EQ(sweep["jobs"][2]["kernel"], "softmax");
  EXPECT_EQ(read(frozen->templates / "softmax/spec.json"), "shipped") << "the first folder of templates wins";
  EXPECT_EQ(read(frozen->templates / "gemm/spec.json"), "shipped too");
  ASSERT_EQ(frozen->also.size(), 1u);
  EXPECT_EQ(read(fs::path(frozen->also[0]) / "kernel.cu"), "more");
  EXPECT_NE(fs::status(frozen->program).permissions() & fs::perms::owner_exec, fs::perms::none);
  EXPECT_EQ(fs::file_size(frozen->program), fs::file_size("/proc/self/exe"));
  EXPECT_TRUE(is_frozen(run));
  EXPECT_EQ(frozen_in(run).also, frozen->also);
}

} // namespace
} // namespace warptune
