// Descriptors, whole files, and files that replace others at once.
#include "support/temp_dir.h"
#include "system/descriptor.h"
#include "system/new_file.h"
#include "system/temporary_path.h"
#include "system/whole_file.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <utility>

namespace warptune {
namespace {

namespace fs = std::filesystem;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Descriptor, IsClosedOnceByItsLastOwner) {
  const test::TempDir dir;
  Descriptor last;
  {
    Descriptor first(::open((dir / "f").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    ASSERT_TRUE(first);
    Descriptor second(std::move(first));
    last = std::move(second);
  }
  ASSERT_TRUE(last);
  EXPECT_TRUE(write_all(last.get(), "one"));
  EXPECT_TRUE(last.close());
  EXPECT_FALSE(last);
  EXPECT_TRUE(last.close()) << "there is nothing to close";
}

TEST(Descriptor, KnowsWhetherItsFileIsStillAtThePath) {
  const test::TempDir dir;
  ASSERT_EQ(write_file(dir / "f", "one"), 0);
  const Descriptor opened(::open((dir / "f").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(is_still_at(opened.get(), dir / "f"));
  ASSERT_EQ(replace_file(dir / "f", "two", Flush::no), 0);
  EXPECT_FALSE(is_still_at(opened.get(), dir / "f")) << "another file has the name";
  fs::remove(dir / "f");
  EXPECT_FALSE(is_still_at(opened.get(), dir / "f"));
}

// At a limit on file sizes, the first system call writes a part, and the next one fails.
TEST(DescriptorDeathTest, APartThatWasWrittenIsNotTheWhole) {
  const test::TempDir dir;
  EXPECT_EXIT(
      {
        rlimit limit{};
        limit.rlim_cur = limit.rlim_max = 1000;
        std::signal(SIGXFSZ, SIG_IGN);
        const bool is_limited = ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
        std::_Exit(is_limited && write_file(dir / "f", std::string(2000, 'x')) == EFBIG ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(WholeFile, IsReadUpToALimit) {
  const test::TempDir dir;
  const std::string text(200000, 'x'); // several system calls
  ASSERT_EQ(write_file(dir / "f", text), 0);
  EXPECT_EQ(read_file(dir / "f"), text);
  EXPECT_EQ(read_file(dir / "f", 70000), text.substr(0, 70000));
  EXPECT_EQ(read_file(dir / "f", 0), "");
  ASSERT_EQ(write_file(dir / "f", "short"), 0);
  EXPECT_EQ(read_file(dir / "f"), "short");
}

TEST(WholeFile, AnErrorIsErrno) {
  const test::TempDir dir;
  EXPECT_EQ(read_file(dir / "missing").error(), ENOENT);
  EXPECT_EQ(read_file(dir.path()).error(), EISDIR);
  EXPECT_EQ(write_file(dir / "missing" / "f", "x"), ENOENT);
  EXPECT_EQ(write_file("/dev/full", "x"), ENOSPC);
}

TEST(WholeFile, APipeWithoutAWriterIsEmpty) {
  const test::TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_file(dir / "pipe"), "");
}

TEST(NewFile, ReplacesOrLeavesNothing) {
  const test::TempDir dir;
  ASSERT_EQ(replace_file(dir / "f", "one", Flush::yes), 0);
  ASSERT_EQ(replace_file(dir / "f", "two", Flush::no), 0);
  EXPECT_EQ(read_file(dir / "f"), "two");
  EXPECT_EQ(replace_file(dir.path(), "over a folder", Flush::no), EISDIR);
  EXPECT_EQ(replace_file(dir / "missing" / "f", "x", Flush::no), ENOENT);
  {
    const NewFile unfinished(dir / "f");
    ASSERT_TRUE(unfinished.write("three"));
    EXPECT_EQ(files_in(dir.path()), 2U);
  }
  EXPECT_EQ(files_in(dir.path()), 1U);
  EXPECT_EQ(read_file(dir / "f"), "two");
}

TEST(NewFile, TheUmaskRestrictsItsModeUnlessItIsSet) {
  const test::TempDir dir;
  const mode_t before = ::umask(077);
  const NewFile plain(dir / "plain", 0666), set(dir / "set", 0666);
  EXPECT_TRUE(set.set_mode(0644));
  ::umask(before);
  EXPECT_EQ(fs::status(plain.path()).permissions(), fs::perms{0600});
  EXPECT_EQ(fs::status(set.path()).permissions(), fs::perms{0644});
}

// A killed process with the same number, as in containers, may have left its files.
TEST(NewFile, TakesNoNameThatExists) {
  const test::TempDir dir;
  std::string next = temporary_path(dir / "f").string();
  const std::size_t dash = next.rfind('-'), dot = next.rfind('.');
  const int number = std::stoi(next.substr(dash + 1, dot - dash - 1));
  next = fmt::format("{}-{}.tmp", next.substr(0, dash), number + 1);
  std::ofstream(next) << "left behind";
  ASSERT_EQ(replace_file(dir / "f", "mine", Flush::no), 0);
  EXPECT_EQ(read_file(dir / "f"), "mine");
  EXPECT_EQ(read_file(next), "left behind");
}

} // namespace
} // namespace warptune
