// Files of a run folder: complete or missing, created once, with errors that name the fix.
#include "cluster/shared_file.h"
#include "fake_file_server.h"
#include "support/child.h"
#include "support/temp_dir.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

extern "C" int link(const char* from, const char* to) noexcept {
  using warptune::test::LinkFault;
  const LinkFault fault = warptune::test::link_fault;
  struct stat status {};
  const bool is_full = fault == LinkFault::few_links && ::stat(from, &status) == 0 && status.st_nlink >= 3;
  if (is_full || fault == LinkFault::failed) {
    errno = is_full ? EMLINK : EIO;
    return -1;
  }
  const int result = ::linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
  if (result != 0 || fault != LinkFault::reply_lost) return result;
  errno = EEXIST;
  return -1;
}

extern "C" int rename(const char* from, const char* to) noexcept {
  if (warptune::test::slow_renames > 0) {
    --warptune::test::slow_renames;
    ::usleep(250'000);
  }
  return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}

extern "C" int fstat(int fd, struct stat* status) noexcept {
  if (warptune::test::stale_answers > 0) {
    --warptune::test::stale_answers;
    errno = ESTALE;
    return -1;
  }
  return ::fstatat(fd, "", status, AT_EMPTY_PATH);
}

namespace warptune {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

struct SharedFiles : testing::Test {
  test::TempDir dir;
  const std::filesystem::path file = dir / "f";
};

TEST_F(SharedFiles, ACreatedFileIsOursThoughTheReplyIsLost) {
  const test::WithLinkFault fault(test::LinkFault::reply_lost);
  EXPECT_TRUE(create_shared(file, "mine").value());
  EXPECT_FALSE(create_shared(file, "theirs").value());
  EXPECT_EQ(**read_shared(file), "mine");
}

TEST_F(SharedFiles, AFurtherNameIsOursThoughTheReplyIsLost) {
  ASSERT_TRUE(replace_shared(dir / "mine", "mine"));
  ASSERT_TRUE(replace_shared(dir / "theirs", "theirs"));
  const test::WithLinkFault fault(test::LinkFault::reply_lost);
  EXPECT_EQ(link_shared(dir / "mine", file).value(), Linked::made);
  EXPECT_EQ(link_shared(dir / "theirs", file).value(), Linked::exists);
  EXPECT_EQ(**read_shared(file), "mine");
  EXPECT_EQ(link_shared(dir / "theirs", dir / "g").value(), Linked::made) << "as any further one";
}

TEST_F(SharedFiles, AFileThatCannotGetAFurtherNameIsUnusable) {
  ASSERT_TRUE(replace_shared(file, "x"));
  const test::WithLinkFault fault(test::LinkFault::few_links);
  EXPECT_EQ(link_shared(file, dir / "2").value(), Linked::made);
  EXPECT_EQ(link_shared(file, dir / "3").value(), Linked::made);
  EXPECT_EQ(link_shared(file, dir / "4").value(), Linked::unusable);
  EXPECT_EQ(link_shared(dir / "none", dir / "5").value(), Linked::unusable);
  EXPECT_THAT(list_shared(dir.path()).value(), UnorderedElementsAre("f", "2", "3"));
}

TEST_F(SharedFiles, AnErrorOfAFurtherNameIsAnError) {
  ASSERT_TRUE(replace_shared(file, "x"));
  const test::WithLinkFault fault(test::LinkFault::failed);
  EXPECT_THAT(link_shared(file, dir / "2").error().message, HasSubstr("cannot create " + (dir / "2").string()));
}

TEST_F(SharedFiles, OfManyThreadsOneGivesTheName) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> winners{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&, i] {
        const std::filesystem::path mine = dir / ("own" + std::to_string(i));
        ASSERT_TRUE(replace_shared(mine, "x"));
        const auto linked = link_shared(mine, dir / std::to_string(round));
        ASSERT_TRUE(linked);
        winners += *linked == Linked::made ? 1 : 0;
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(winners, 1);
  }
}

TEST_F(SharedFiles, AreReadAsWritten) {
  EXPECT_EQ(read_shared(file)->has_value(), false);
  ASSERT_TRUE(replace_shared(file, "one"));
  ASSERT_TRUE(replace_shared(file, std::string(10000, 'x')));
  EXPECT_EQ(**read_shared(file), std::string(10000, 'x'));
  ASSERT_TRUE(copy_to_shared(file, dir / "g"));
  EXPECT_EQ(**read_shared(dir / "g"), std::string(10000, 'x'));
}

TEST_F(SharedFiles, AFileIsCreatedOnce) {
  EXPECT_EQ(create_shared(file, "mine").value(), true);
  EXPECT_EQ(create_shared(file, "yours").value(), false);
  EXPECT_EQ(**read_shared(file), "mine");
  EXPECT_THAT(list_shared(dir.path()).value(), UnorderedElementsAre("f")) << "no temporary file stays";
}

TEST_F(SharedFiles, UnfinishedFilesAreNotListed) {
  std::ofstream(dir / "f.123-abc-0.tmp") << "x";
  std::ofstream(dir / "f.tmpl") << "x";
  EXPECT_THAT(list_shared(dir.path()).value(), UnorderedElementsAre("f.tmpl"));
}

TEST_F(SharedFiles, OfManyThreadsOneCreates) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> winners{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&, i] {
        const auto won = create_shared(dir / std::to_string(round), std::to_string(i));
        ASSERT_TRUE(won);
        winners += *won ? 1 : 0;
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(winners, 1);
  }
}

TEST_F(SharedFiles, TimesAreOfTheServer) {
  EXPECT_FALSE(time_of_shared(file)->has_value());
  ASSERT_TRUE(replace_shared(file, "x"));
  const auto before = touch_shared(file).value();
  EXPECT_EQ(time_of_shared(file)->value(), before);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GT(touch_shared(file).value(), before);
}

TEST_F(SharedFiles, AFileThatIsReplacedMeanwhileIsAskedAgain) {
  ASSERT_TRUE(replace_shared(file, "x"));
  test::stale_answers = 2;
  EXPECT_TRUE(time_of_shared(file).value().has_value());
  test::stale_answers = 1000;
  EXPECT_FALSE(time_of_shared(file)) << "not for ever";
  test::stale_answers = 0;
}

TEST_F(SharedFiles, ADeletedFolderIsSaid) {
  for (const auto& error : {replace_shared(dir / "no/f", "x").error(), create_shared(dir / "no/f", "x").error(),
                            touch_shared(dir / "no/f").error(), list_shared(dir / "no").error(),
                            copy_to_shared("/etc/passwd", dir / "no/f").error()}) {
    EXPECT_EQ(error.kind, ErrorKind::database);
    EXPECT_THAT(error.message, HasSubstr("; " + (dir / "no").string() + " was deleted or moved; put it back"));
  }
}

// Opening it would block its reader forever.
TEST_F(SharedFiles, APipeIsAnEmptyFile) {
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(**read_shared(file), "");
  EXPECT_TRUE(time_of_shared(file)->has_value());
}

// A limit of the file size acts like a full disk: the write fails in the middle.
TEST_F(SharedFiles, WhatDoesNotFitLeavesTheOldFile) {
  ASSERT_TRUE(replace_shared(file, "old"));
  ASSERT_TRUE(replace_shared(dir / "large", std::string(100000, 'x')));
  const int code = test::run_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto text = replace_shared(file, std::string(100000, 'y'));
    const auto copy = copy_to_shared(dir / "large", file);
    const auto made = create_shared(dir / "new", std::string(100000, 'y'));
    if (text || copy || made) return 1;
    for (const Error& error : {text.error(), copy.error(), made.error()})
      if (error.kind != ErrorKind::database || error.message.find("free some space") == std::string::npos) return 2;
    return 0;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(**read_shared(file), "old");
  EXPECT_THAT(list_shared(dir.path()).value(), UnorderedElementsAre("f", "large"));
  for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
    EXPECT_NE(entry.path().extension(), ".tmp") << "the part that was written is removed";
}

} // namespace
} // namespace warptune
