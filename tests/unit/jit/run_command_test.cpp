// Commands that hang, crash, print a lot and leave processes behind.
#include "jit/run_command.h"
#include "support/built_kernel.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/prctl.h>
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
    return run_command({"sh", "-c", script}, dir_.path(), dir_.path(), {timeout_s});
  }
  // Whether all writers of a fifo have closed it; the fifo was opened with O_NONBLOCK before they started.
  static bool all_gone(int fifo) {
    std::array<char, 64> bytes;
    ssize_t n = 0;
    while ((n = ::read(fifo, bytes.data(), bytes.size())) > 0) {
    }
    return n == 0;
  }
  // Processes hold the fifo open as long as they live. Waits until one has opened it and none holds it any more.
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
  end = run_command({"no-such-program-anywhere"}, dir_.path(), dir_.path(), {60});
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
  EXPECT_EQ(end.output, "4\n"); // three files and the folder that ls reads
}

TEST_F(RunCommand, NobodyOfAHangingGroupRemains) {
  ASSERT_EQ(::mkfifo((dir_ / "alive").c_str(), 0600), 0);
  // The command and its child hold the writing end; the reader below starts before they are ended.
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

TEST_F(RunCommand, DescendantsInOtherSessionsEndToo) {
  for (const char* fifo : {"alive", "ready"}) ASSERT_EQ(::mkfifo((dir_ / fifo).c_str(), 0600), 0);
  const int fifo = ::open((dir_ / "alive").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(fifo, 0);
  // The process has left the group when the command ends, and so has its own child.
  EXPECT_TRUE(sh("exec 9>alive; setsid sh -c 'setsid sleep 1000 & echo x >ready; sleep 1000' & read x <ready; echo y "
                 ">&9; exit 0")
                  .succeeded());
  EXPECT_TRUE(all_gone(fifo));
  ::close(fifo);
}

TEST_F(RunCommand, AGuardThatIsStoppedContinues) {
  EXPECT_TRUE(sh("kill -STOP $PPID; exit 0").succeeded());
  EXPECT_EQ(sh("kill -STOP $PPID; sleep 1000", 0.2).kind, Kind::timed_out);
}

TEST_F(RunCommand, AGuardThatDoesNotObeyIsKilled) {
  EXPECT_EQ(sh("while :; do kill -STOP $PPID; done", 0.2).kind, Kind::timed_out);
}

TEST_F(RunCommand, EndsWhenItIsToldTo) {
  const std::atomic<bool> stop{true};
  const CommandEnd end = run_command({"sleep", "1000"}, dir_.path(), dir_.path(), {60, 0, &stop});
  EXPECT_EQ(end.kind, Kind::stopped);
  EXPECT_EQ(end.sentence(), "was stopped");
}

TEST_F(RunCommand, KeepsStandardOutputApart) {
  const std::vector<std::string> words{"sh", "-c", "seq 2000; echo problem >&2"};
  CommandEnd end = run_command(words, dir_.path(), dir_.path(), {60, 100'000});
  EXPECT_THAT(end.printed, testing::StartsWith("1\n2\n"));
  EXPECT_THAT(end.printed, EndsWith("\n1999\n2000\n"));
  EXPECT_FALSE(end.printed_more);
  EXPECT_EQ(end.output, "problem\n");
  end = run_command(words, dir_.path(), dir_.path(), {60, 3});
  EXPECT_EQ(end.printed, "1\n2");
  EXPECT_TRUE(end.printed_more);
}

TEST_F(RunCommand, EndsWithTheProcessThatRanIt) {
  const auto leftover = dir_ / "leftover";
  test::write_text(leftover / "output" / "kernel.cubin", "half of it");
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0); // so that this process can wait for the guard
  ASSERT_EQ(::mkfifo((dir_ / "alive").c_str(), 0600), 0);
  const pid_t worker = ::fork();
  if (worker == 0) {
    (void)run_command({"sh", "-c", "exec 9>alive; echo x >&9; sleep 1000 & sleep 1000"}, dir_.path(), leftover, {});
    ::_exit(0);
  }
  const int fifo = ::open((dir_ / "alive").c_str(), O_RDONLY);
  char byte = 0;
  ASSERT_EQ(::read(fifo, &byte, 1), 1); // it is running
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
  while (::read(fifo, &byte, 1) > 0) { // until the last writer has closed the fifo
  }
  ::close(fifo);
  while (::wait(nullptr) > 0) {
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  EXPECT_FALSE(std::filesystem::exists(leftover));
  EXPECT_TRUE(std::filesystem::exists(dir_.path()));
}

} // namespace
} // namespace warptune
