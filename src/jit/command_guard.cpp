#include "jit/command_guard.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warptune {
namespace {

// The guard's descriptors; it closes all others. The last two are a pipe for the error if the command cannot be
// started.
constexpr int kLife = 3, kReport = 4, kOutput = 5, kErrors = 6, kFailure = 7, kFailed = 8;

void close_from(int first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, static_cast<unsigned>(first), ~0u, 0u) == 0) return;
#endif
  for (int fd = first; fd < 4096; ++fd) close(fd);
}

void write_number(int fd, int number) { [[maybe_unused]] const auto written = write(fd, &number, sizeof number); }

void wake(int) {}

[[noreturn]] void become_command(char* const* argv, const char* folder, const sigset_t& none) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // in case the guard is killed
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(kOutput, 1);
  dup2(kErrors, 2);
  fcntl(kFailure, F_SETFD, FD_CLOEXEC);
  for (const int fd : {kLife, kReport, kOutput, kErrors, kFailed}) close(fd);
  if (chdir(folder) == 0) execvp(argv[0], argv);
  write_number(kFailure, errno);
  _exit(127);
}

// The number of the parent in /proc/PID/stat: "12 (any name) S 11 ...".
pid_t parent_of(const char* pid) {
  constexpr std::size_t kFolder = 6;
  std::array<char, 64> path{"/proc/"};
  const std::size_t length = strlen(pid);
  if (kFolder + length + sizeof "/stat" > path.size()) return 0;
  memcpy(path.data() + kFolder, pid, length);
  memcpy(path.data() + kFolder + length, "/stat", sizeof "/stat");
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 256> text{};
  const ssize_t n = read(file, text.data(), text.size() - 1);
  close(file);
  if (n <= 0) return 0;
  const char* name_end = strrchr(text.data(), ')');
  return name_end && strlen(name_end) > 4 ? atoi(name_end + 4) : 0;
}

// Returns the number of killed children.
int kill_children() {
  const int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return 0;
  const pid_t self = getpid();
  int killed = 0;
  std::array<char, 8192> entries;
  for (long n = 0; (n = syscall(SYS_getdents64, folder, entries.data(), entries.size())) > 0;) {
    for (long at = 0; at < n;) { // struct linux_dirent64
      const char* entry = entries.data() + at;
      unsigned short length = 0;
      memcpy(&length, entry + 16, sizeof length);
      at += length;
      const char* name = entry + 19;
      if (*name < '1' || *name > '9' || parent_of(name) != self) continue;
      if (kill(atoi(name), SIGKILL) == 0) ++killed;
    }
  }
  close(folder);
  return killed;
}

// The children of a killed process become the guard's, so that repeating this finds all descendants.
void kill_descendants() {
  while (true) {
    pid_t ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0 || kill_children() == 0) return;
    waitpid(-1, nullptr, 0);
  }
}

// Waits until `child` has ended or the parent asks for its end. Returns true if the parent is gone.
bool wait_for_end(pid_t child, const sigset_t& none) {
  while (true) {
    siginfo_t ended{};
    if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == child) return false;
    if (ended.si_pid != 0) { // an orphan
      waitpid(ended.si_pid, nullptr, 0);
      continue;
    }
    pollfd life{kLife, POLLIN, 0};
    if (ppoll(&life, 1, nullptr, &none) <= 0) continue;
    char byte = 0;
    const ssize_t n = read(kLife, &byte, 1);
    if (n >= 0) return n == 0;
  }
}

void take_places(GuardEnds ends) {
  for (int* fd : {&ends.life, &ends.report, &ends.standard_output, &ends.standard_error})
    *fd = fcntl(*fd, F_DUPFD, 20); // above the numbers assigned below
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {0, 1, 2}) dup2(null, fd);
  dup2(ends.life, kLife);
  dup2(ends.report, kReport);
  dup2(ends.standard_output, kOutput);
  dup2(ends.standard_error, kErrors);
  close_from(kFailure);
}

} // namespace

void become_guard(const GuardEnds& ends, char* const* argv, const char* folder, const char* temporary) {
  take_places(ends);
  std::array<int, 2> failure{-1, -1};
  GuardReport report{EAGAIN, 0};
  const auto tell = [&] { [[maybe_unused]] const auto written = write(kReport, &report, sizeof report); };
  if (pipe(failure.data()) != 0) tell(), _exit(1);
  const int failed = fcntl(failure[0], F_DUPFD, 20);
  const int fails = fcntl(failure[1], F_DUPFD, 20);
  dup2(failed, kFailed);
  dup2(fails, kFailure);
  close_from(kFailed + 1);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  struct sigaction action {};
  action.sa_handler = wake;
  sigaction(SIGCHLD, &action, nullptr);
  for (const int stop : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(stop, SIG_IGN);
  sigset_t children, none;
  sigemptyset(&children);
  sigemptyset(&none);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_SETMASK, &children, nullptr); // blocked, so that it arrives only while ppoll waits
  const pid_t child = fork();
  if (child == 0) become_command(argv, folder, none);
  for (const int fd : {kFailure, kOutput, kErrors}) close(fd);
  if (child < 0) tell(), _exit(1);
  setpgid(child, child); // in parent and child, because either may be first

  const bool abandoned = wait_for_end(child, none);
  // The command is reaped only after its group is killed: until then no other process can have its number.
  for (const pid_t all : {-child, child}) kill(all, SIGKILL); // also the command itself, in case it left its group
  waitpid(child, &report.status, 0);
  kill_descendants();
  if (abandoned) {
    execl("/bin/rm", "rm", "-rf", "--", temporary, static_cast<char*>(nullptr));
    _exit(1);
  }
  if (read(kFailed, &report.error, sizeof report.error) != sizeof report.error) report.error = 0;
  tell();
  _exit(0);
}

} // namespace warptune
