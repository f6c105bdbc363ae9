// The copy of a sweep and of the program in a run folder: it contains everything that the sweep names, and appears at
// once as a whole.
#include "cluster/frozen_sweep.h"
#include "support/child.h"
#include "support/temp_dir.h"
#include "system/temporary_path.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace fs = std::filesystem;

struct FrozenSweeps : testing::Test {
  test::TempDir dir;
  const fs::path run = dir / "run";
  FrozenSweeps() {
    write("sweeps/s.json", R"({"warptune_sweep": 1, "jobs": [{"kernel": "../norm", "also": ["../fast"]},
                               {"kernel": "../norm/"}, {"kernel": "softmax"}]})");
    write("norm/spec.json", "mine");
    write("fast/kernel.cu", "fast");
    write("one/softmax/spec.json", "shipped");
    write("two/softmax/spec.json", "hidden");
    write("two/gemm/spec.json", "shipped too");
    write("more/kernel.cu", "more");
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((dir / name).parent_path());
    std::ofstream(dir / name) << text;
  }
  static std::string read(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Result<FrozenSweep> freeze() const {
    return freeze_sweep(run, dir / "sweeps/s.json", {dir / "one", dir / "two", dir / "none"},
                        {(dir / "more").string()});
  }
  std::vector<std::string> files_in_run() const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(run, none)) names.push_back(entry.path().filename().string());
    return names;
  }
};

TEST_F(FrozenSweeps, HaveCopiesOfAllThatTheSweepNames) {
  EXPECT_FALSE(is_frozen(run));
  const auto frozen = freeze();
  ASSERT_TRUE(frozen) << frozen.error().message;
  for (const char* edited :
       {"norm/spec.json", "fast/kernel.cu", "one/softmax/spec.json", "more/kernel.cu", "sweeps/s.json"})
    write(edited, "edited");
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

// For example, two submissions at once.
TEST_F(FrozenSweeps, OfManyProcessesOneFreezes) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i)
    children.push_back(test::start_child([&, i] {
      write("sweeps/" + std::to_string(i) + ".json", R"({"jobs": [{"kernel": "number)" + std::to_string(i) + "\"}]}");
      const auto frozen = freeze_sweep(run, dir / ("sweeps/" + std::to_string(i) + ".json"), {dir / "one"}, {});
      // It is complete for every process that has made it.
      return frozen && is_frozen(run) && fs::exists(frozen->program) && fs::exists(frozen->templates / "softmax") ? 0
                                                                                                                  : 1;
    }));
  for (const pid_t child : children) EXPECT_EQ(test::wait_child(child), 0);
  EXPECT_THAT(files_in_run(), ElementsAre("frozen")) << "the other copies are removed";
}

TEST_F(FrozenSweeps, TheFirstCopyStays) {
  ASSERT_TRUE(freeze());
  const std::string before = read(frozen_in(run).sweep);
  write("sweeps/s.json", R"({"jobs": [{"kernel": "gemm"}]})");
  const auto again = freeze();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->sweep, frozen_in(run).sweep);
  EXPECT_EQ(again->also.size(), 1u);
  EXPECT_EQ(read(again->sweep), before);
  EXPECT_THAT(files_in_run(), ElementsAre("frozen"));
}

TEST_F(FrozenSweeps, WhatAKilledProcessBeganIsNoCopy) {
  EXPECT_EQ(test::run_child([&] {
              const fs::path begun = temporary_path(run / "frozen");
              fs::create_directories(begun / "bin");
              std::ofstream(begun / "sweep.json") << "{}";
              return 0;
            }),
            0);
  EXPECT_EQ(files_in_run().size(), 1u);
  EXPECT_FALSE(is_frozen(run));
  ASSERT_TRUE(freeze());
  EXPECT_TRUE(is_frozen(run));
  EXPECT_THAT(files_in_run(), ElementsAre("frozen")) << "the next one removes it";
}

// The command has checked the file before.
TEST_F(FrozenSweeps, AFileThatChangedMeanwhileIsSaidInWords) {
  for (const char* text : {"", "[]", "{}", R"({"jobs": [1]})", R"({"jobs": 1})", R"({"jobs": [{"kernel": 7}]})",
                           R"({"jobs": [{"kernel": "gemm", "also": [7]}]})"}) {
    write("sweeps/s.json", text);
    const auto failed = freeze();
    ASSERT_FALSE(failed) << text;
    EXPECT_EQ(failed.error().kind, ErrorKind::database);
    EXPECT_THAT(failed.error().message, HasSubstr("s.json was changed or deleted while this command was reading it"));
    EXPECT_THAT(files_in_run(), IsEmpty());
  }
}

TEST_F(FrozenSweeps, AFailureLeavesNoCopy) {
  const auto failed = freeze_sweep(run, dir / "sweeps/s.json", {dir / "one"}, {(dir / "missing").string()});
  EXPECT_THAT(failed.error().message, HasSubstr("cannot copy " + (dir / "missing").string()));
  EXPECT_FALSE(is_frozen(run));
  EXPECT_THAT(files_in_run(), IsEmpty());
  EXPECT_TRUE(freeze());
}

// Such as the lock file that Emacs makes beside an edited file.
TEST_F(FrozenSweeps, WhatIsNoFileIsLeftOut) {
  fs::create_symlink("nobody@host.5:7", dir / "norm" / ".#spec.json");
  fs::create_symlink(dir / "more" / "kernel.cu", dir / "norm" / "linked.cu");
  ASSERT_EQ(::mkfifo((dir / "norm" / "pipe").c_str(), 0600), 0);
  const auto frozen = freeze();
  ASSERT_TRUE(frozen) << frozen.error().message;
  const fs::path copy = run / "frozen" / "kernels" / "0-norm";
  EXPECT_EQ(read(copy / "linked.cu"), "more");
  EXPECT_FALSE(fs::is_symlink(copy / "linked.cu"));
  EXPECT_FALSE(fs::exists(fs::symlink_status(copy / ".#spec.json")));
  EXPECT_FALSE(fs::exists(copy / "pipe"));
}

TEST_F(FrozenSweeps, ARunInAFolderThatIsCopiedIsRefused) {
  const fs::path inside = dir / "one" / "deeper" / "run";
  const auto failed = freeze_sweep(inside, dir / "sweeps/s.json", {dir / "one"}, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(failed.error().message, HasSubstr("the run folder is inside " + (dir / "one").string()));
  EXPECT_FALSE(is_frozen(inside));
}

TEST_F(FrozenSweeps, AFolderOfOthersIsNotReplaced) {
  write("run/frozen/notes.txt", "mine");
  EXPECT_THAT(freeze().error().message,
              HasSubstr((run / "frozen").string() + ": Directory not empty; move the existing folder away"));
  EXPECT_EQ(read(run / "frozen/notes.txt"), "mine");
  EXPECT_THAT(files_in_run(), ElementsAre("frozen"));
}

} // namespace
} // namespace warptune
