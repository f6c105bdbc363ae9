// Untuned shapes are in their file as soon as they are selected, however a process ends and whichever other processes
// write the file.
#include "runtime/misses.h"
#include "runtime/misses_file.h"
#include "spec/spec_json.h"
#include "support/child.h"
#include "unit/runtime/fixture.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/file.h>
#include <thread>

namespace warptune::test {
namespace {

using testing::HasSubstr;

class AppendMisses : public testing::Test {
 protected:
  AppendMisses() : spec_(must(parse_spec(kBlendSpec, "blend"))) {}
  void add(Misses& misses, std::int64_t n) const {
    misses.add(spec_, must(make_problem(spec_, "n=" + std::to_string(n), "bf16", {"mode=clamped"})));
  }
  bool append(Misses& misses, std::int64_t n) const {
    add(misses, n);
    return must(misses.append_new(path())).has_new;
  }
  std::string read() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  std::size_t shapes() const { return must(parse_misses(read(), "t")).counts.size(); }
  std::filesystem::path path() const { return dir_ / "misses.json"; }

  TempDir dir_;
  KernelSpec spec_;
};

TEST_F(AppendMisses, EachIsInTheFileWhenItIsFirstSeen) {
  Misses misses;
  for (std::size_t n = 1; n <= 20; ++n) {
    EXPECT_TRUE(append(misses, static_cast<std::int64_t>(n)));
    EXPECT_EQ(shapes(), n) << read();
  }
}

// A signal whose handler returns must not end the wait for another process.
TEST_F(AppendMisses, ASignalDoesNotEndTheWaitForTheLock) {
  struct sigaction interrupts {
  }, before{};
  interrupts.sa_handler = [](int) {}; // without SA_RESTART
  ASSERT_EQ(::sigaction(SIGUSR1, &interrupts, &before), 0);
  const int folder = ::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(folder, LOCK_EX), 0);
  bool merged = false;
  std::thread waits([&] { merged = merge_misses(path(), {{"    {\"kernel\": \"a\"", 1}}).has_value(); });
  for (int i = 0; i < 100; ++i) {
    ::pthread_kill(waits.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_FALSE(std::filesystem::exists(path()));
  ::flock(folder, LOCK_UN);
  waits.join();
  EXPECT_TRUE(merged);
  EXPECT_TRUE(std::filesystem::exists(path()));
  ::close(folder);
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(AppendMisses, NothingIsWrittenForOneThatIsThere) {
  Misses misses;
  EXPECT_TRUE(append(misses, 7));
  std::ofstream(path()) << "nothing reads this";
  EXPECT_FALSE(append(misses, 7));
  EXPECT_FALSE(must(misses.append_new(path())).has_new);
  EXPECT_EQ(read(), "nothing reads this");
}

TEST_F(AppendMisses, CountsComeWhenTheLibraryIsClosed) {
  Misses misses;
  for (int i = 0; i < 3; ++i) append(misses, 7);
  append(misses, 8);
  EXPECT_THAT(read(), HasSubstr("selected anew 1 time\""));
  must(misses.write(path()));
  EXPECT_THAT(read(), HasSubstr("n=7\"], \"dtypes\": [\"bf16\"], \"flags\": {\"mode\": \"clamped\"}, \"about\": "
                                "\"selected anew 3 times\""));
  EXPECT_EQ(shapes(), 2u);
  EXPECT_TRUE(append(misses, 9));
  EXPECT_EQ(shapes(), 3u);
}

TEST_F(AppendMisses, AFileThatWasTakenAwayIsBegunAnew) {
  Misses misses;
  append(misses, 7);
  std::filesystem::remove(path());
  append(misses, 8);
  EXPECT_EQ(shapes(), 1u);
  EXPECT_THAT(read(), HasSubstr("n=8"));
}

TEST_F(AppendMisses, WhatAnotherProcessAddedIsNotAddedAgain) {
  Misses one, other;
  append(one, 7);
  append(other, 8);
  EXPECT_FALSE(append(one, 8));
  EXPECT_FALSE(append(other, 7));
  append(one, 9);
  const std::string text = read();
  EXPECT_EQ(shapes(), 3u);
  EXPECT_EQ(text.find("n=8"), text.rfind("n=8"));
  must(other.write(path())); // adds that it selected 7 as well
  EXPECT_THAT(read(), HasSubstr("selected anew 2 times"));
}

TEST_F(AppendMisses, KilledProcessesLeaveAWholeFile) {
  std::vector<pid_t> children;
  for (int c = 0; c < 4; ++c)
    children.push_back(start_child([&, c] {
      Misses misses;
      for (std::int64_t n = 1; n <= 40; ++n) append(misses, 10 * c + n); // other processes write most of these, too
      return kill(getpid(), SIGKILL);
    }));
  for (const pid_t child : children) EXPECT_EQ(wait_child(child), 128 + SIGKILL);
  // A process that waited too long for the folder's lock left a shape for later, and was killed before it wrote it.
  EXPECT_GE(shapes(), 40u);
  EXPECT_LE(shapes(), 70u);
}

TEST_F(AppendMisses, ACutFileIsRepaired) {
  for (const std::size_t left : {1u, 2u}) { // complete lines
    std::filesystem::remove(path());
    Misses before, misses;
    append(before, 7);
    append(before, 8);
    append(before, 9);
    const std::string whole = read();
    const std::size_t cut = whole.find(left == 1 ? "n=8" : "n=9");
    std::filesystem::resize_file(path(), cut);
    add(misses, 7);
    add(misses, 10);
    const Misses::Appended appended = must(misses.append_new(path()));
    EXPECT_TRUE(appended.has_new);
    EXPECT_TRUE(appended.is_repaired);
    EXPECT_FALSE(must(parse_misses(read(), "t")).is_cut) << read();
    EXPECT_EQ(shapes(), left + 1);
    add(misses, 11);
    EXPECT_FALSE(must(misses.append_new(path())).is_repaired);
    EXPECT_EQ(shapes(), left + 2);
  }
}

// The file's name leaves no room for that of the new file, which replaces it.
TEST_F(AppendMisses, ARepairThatFailsIsTriedAgain) {
  Misses before, misses;
  append(before, 7);
  append(before, 8);
  const std::filesystem::path long_name = dir_ / std::string(250, 'x');
  const std::string cut = read().substr(0, read().find("n=8"));
  std::ofstream(long_name) << cut;
  add(misses, 9);
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(misses.append_new(long_name));
    std::ifstream file(long_name);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), cut);
  }
}

TEST_F(AppendMisses, ARepairKeepsTheCounts) {
  Misses before, misses;
  add(before, 7);
  add(before, 7);
  add(before, 8);
  must(before.write(path()));
  std::filesystem::resize_file(path(), read().find("n=8"));
  add(misses, 9);
  EXPECT_TRUE(must(misses.append_new(path())).is_repaired);
  const MissCounts counts = must(parse_misses(read(), "t")).counts;
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts.begin()->second, 2u) << read();
}

TEST_F(AppendMisses, AFileCutInItsFirstLineIsBegunAnew) {
  Misses before, misses;
  append(before, 7);
  std::filesystem::resize_file(path(), read().find("n=7"));
  add(misses, 8);
  EXPECT_TRUE(must(misses.append_new(path())).is_repaired);
  EXPECT_FALSE(must(parse_misses(read(), "t")).is_cut);
  EXPECT_EQ(shapes(), 1u);
}

TEST_F(AppendMisses, ALockedFolderIsNotWaitedFor) {
  Misses misses;
  const int folder = ::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(folder, LOCK_EX), 0);
  EXPECT_FALSE(append(misses, 7));
  EXPECT_FALSE(std::filesystem::exists(path()));
  ::close(folder);
  EXPECT_TRUE(append(misses, 8));
  EXPECT_EQ(shapes(), 2u) << "what had to wait is there too";
}

TEST_F(AppendMisses, WhoeverAppendsIsAlone) {
  Misses misses;
  const int folder = ::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(folder, LOCK_SH), 0);
  EXPECT_FALSE(append(misses, 7)) << "not even beside one who shares the folder";
  ::close(folder);
  EXPECT_TRUE(append(misses, 8));
}

TEST_F(AppendMisses, WhoeverTunesMayReadTheFile) {
  using std::filesystem::perms;
  Misses misses;
  append(misses, 7);
  constexpr perms kReadable = perms::owner_read | perms::group_read | perms::others_read;
  EXPECT_EQ(std::filesystem::status(path()).permissions() & kReadable, kReadable);
}

TEST_F(AppendMisses, OtherFilesAreLeftAlone) {
  Misses misses;
  std::ofstream(path()) << "notes";
  add(misses, 7);
  EXPECT_FALSE(misses.append_new(path()));
  EXPECT_EQ(read(), "notes");
  EXPECT_FALSE(misses.append_new(dir_ / "no" / "such" / "folder.json"));
  std::filesystem::remove(path());
  EXPECT_TRUE(must(misses.append_new(path())).has_new) << "kept through all failures";
}

TEST_F(AppendMisses, NoMoreThanASweepTakes) {
  Misses many, one;
  for (int n = 1; n <= 6000; ++n) add(many, n);
  must(many.append_new(path()));
  EXPECT_EQ(shapes(), 5000u);
  EXPECT_FALSE(append(one, 7000));
  EXPECT_EQ(shapes(), 5000u);
  EXPECT_LT(std::filesystem::file_size(path()), 1u << 20);
}

} // namespace
} // namespace warptune::test
