// Commands that hang, crash, talk and leave processes behind.
#include "jit/run_command.h"
#include "support/built_kernel.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warptune {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using Kind = CommandEnd::Kind;

class RunCommand : public testing::Test {
 protected:
  CommandEnd sh(const std::string& script, double timeout_s = 60) {
    return run_command({"sh", "-c", script}, dir_.path(), timeout_s, dir_.path());
  }
  // By a lock that a process holds as long as it lives: blocks until nobody has it, and fails only if nobody ever had.
  void expect_nobody_holds(const std::string& name) {
    int fifo = ::open((dir_ / name).c_str(), O_RDONLY);
    ASSERT_GE(fifo, 0);
    char byte = 0;
    while (::read(fifo, &byte, 1) > 0) {
    }
    ::close(fifo);
  }
  test::TempDir dir_;
};

TEST_F(RunCommand, SaysHowItEnded) {
  CommandEnd end = sh("pwd; echo problem >&2; exit 3");
  EXPECT_EQ(end.kind, Kind::exited);
  EXPECT_EQ(end.code, 3);
  EXPECT_THAT(end.output, HasSubstr(dir_.path().filename().string()));
  EXPECT_THAT(end.sentence(), EndsWith("problem"));
  EXPECT_TRUE(sh("exit 0").succeeded());
  end = sh("kill -SEGV $$");
  EXPECT_EQ(end.kind, Kind::killed);
  EXPECT_EQ(end.code, SIGSEGV);
  end = run_command({"no-such-program-anywhere"}, dir_.path(), 60, dir_.path());
  EXPECT_EQ(end.kind, Kind::not_started);
  EXPECT_EQ(end.code, ENOENT);
}

TEST_F(RunCommand, KeepsTheLastOfWhatItSays) {
  const CommandEnd end = sh("i=0; while [ $i -lt 20000 ]; do echo chatter $i; i=$((i+1)); done; echo the last words");
  EXPECT_TRUE(end.succeeded());
  EXPECT_EQ(end.output.size(), 1024u);
  EXPECT_THAT(end.output, EndsWith("the last words\n"));
}

TEST_F(RunCommand, HasNoInputAndNoForeignDescriptors) {
  const CommandEnd end = sh("cat; ls /proc/self/fd | wc -l");
  EXPECT_TRUE(end.succeeded());
  EXPECT_EQ(end.output, "4\n"); // three and the folder that ls reads
}

TEST_F(RunCommand, NobodyOfAHangingGroupRemains) {
  ASSERT_EQ(::mkfifo((dir_ / "alive").c_str(), 0600), 0);
  // Both the command and its child hold the writing end; the reader below begins before they are ended.
  const pid_t reader = ::fork();
  if (reader == 0) {
    expect_nobody_holds("alive");
    ::_exit(0);
  }
  const CommandEnd end = sh("exec 9>alive; sleep 1000 & sleep 1000", 0.5);
  EXPECT_EQ(end.kind, Kind::timed_out);
  int status = 0;
  EXPECT_EQ(::waitpid(reader, &status, 0), reader);
  EXPECT_EQ(status, 0);
}

TEST_F(RunCommand, WhatItLeavesBehindEndsWithIt) {
  ASSERT_EQ(::mkfifo((dir_ / "alive").c_str(), 0600), 0);
  const pid_t reader = ::fork();
  if (reader == 0) {
    expect_nobody_holds("alive");
    ::_exit(0);
  }
  EXPECT_TRUE(sh("exec 9>alive; sleep 1000 & exit 0").succeeded());
  int status = 0;
  EXPECT_EQ(::waitpid(reader, &status, 0), reader);
  EXPECT_EQ(status, 0);
}

TEST_F(RunCommand, EndsWithTheProcessThatRanIt) {
  const auto leftover = dir_ / "leftover";
  std::filesystem::create_directory(leftover);
  ASSERT_EQ(::mkfifo((dir_ / "alive").c_str(), 0600), 0);
  const pid_t worker = ::fork();
  if (worker == 0) {
    (void)run_command({"sh", "-c", "exec 9>alive; echo x >&9; sleep 1000 & sleep 1000"}, dir_.path(), 0, leftover);
    ::_exit(0);
  }
  const int fifo = ::open((dir_ / "alive").c_str(), O_RDONLY);
  char byte = 0;
  ASSERT_EQ(::read(fifo, &byte, 1), 1); // it is at work
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
  while (::read(fifo, &byte, 1) > 0) { // until the last writer is gone
  }
  ::close(fifo);
}

} // namespace
} // namespace warptune
