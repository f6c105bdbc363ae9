// The options of a sweep as words: what a submission stores is what `--resume` gets.
#include "cli/sweep_words.h"

#include <filesystem>
#include <gmock/gmock.h>

namespace warptune::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// No option is given: those of `sweep` that have a default otherwise are empty.
SweepArgs no_options() {
  SweepArgs args;
  args.search.knowledge.clear();
  return args;
}

SweepArgs all_options() {
  SweepArgs args = no_options();
  args.devices = "cuda:0,cuda:1";
  args.only = "softmax", args.profile = "best", args.objective = "energy";
  args.search = {"portfolio", "60s", "95%", "1.5", "device"};
  args.compile_timeout = "90s", args.evaluate_timeout = "2m";
  args.run.local = "/tmp/here";
  args.folders.include = {"/opt/headers", "/opt/more"};
  args.seed = 0;
  args.compile_workers = 12;
  args.energy = args.baseline = args.allow_build = true;
  return args;
}

TEST(SweepWords, GiveNothingForOptionsThatAreNotGiven) { EXPECT_THAT(words_for_tasks(no_options()), IsEmpty()); }

TEST(SweepWords, RestoreEveryOption) {
  const auto words = words_for_tasks(all_options());
  SweepArgs restored = no_options();
  add_stored_words(restored, words);
  EXPECT_EQ(words_for_tasks(restored), words);
  EXPECT_EQ(restored.devices, "cuda:0,cuda:1");
  EXPECT_EQ(restored.search.budget, "60s");
  EXPECT_EQ(restored.seed, 0);
  EXPECT_EQ(restored.compile_workers, 12);
  EXPECT_THAT(restored.folders.include, ElementsAre("/opt/headers", "/opt/more"));
  EXPECT_TRUE(restored.energy && restored.baseline && restored.allow_build);
}

TEST(SweepWords, LeaveGivenOptions) {
  SweepArgs given = no_options();
  given.devices = "cuda:3", given.search.budget = "5m", given.seed = 7, given.compile_workers = 2;
  given.folders.include = {"/mine"};
  add_stored_words(given, words_for_tasks(all_options()));
  EXPECT_EQ(given.devices, "cuda:3");
  EXPECT_EQ(given.search.budget, "5m");
  EXPECT_EQ(given.seed, 7);
  EXPECT_EQ(given.compile_workers, 2);
  EXPECT_THAT(given.folders.include, ElementsAre("/mine"));
  EXPECT_EQ(given.only, "softmax");
}

TEST(SweepWords, NameFoldersOfTheTasksByTheirWholePaths) {
  SweepArgs args = no_options();
  args.folders.include = {"headers"};
  EXPECT_THAT(words_for_tasks(args), ElementsAre("--include", (std::filesystem::current_path() / "headers").string()));
}

} // namespace
} // namespace warptune::cli
