#include "jit/run_command.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

// Between this process and the command stands a guard: a child of this process that never executes another program. It
// ends the command's group when the command has ended, when it is told to, and when this process is gone, which it sees
// by the end of a pipe that only this process writes.
namespace warptune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kOutputKept = 1024;

struct Report {
  CommandEnd::Kind kind;
  int code;
};

// The guard's descriptors; all others are closed in it.
constexpr int kLife = 3, kReport = 4, kOutput = 5, kFailure = 6, kFailed = 7; // the last two: why nothing was started

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
  prctl(PR_SET_PDEATHSIG, SIGKILL); // should somebody end the guard
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(kOutput, 1);
  dup2(kOutput, 2);
  fcntl(kFailure, F_SETFD, FD_CLOEXEC);
  for (const int fd : {kLife, kReport, kOutput, kFailed}) close(fd);
  if (chdir(folder) == 0) execvp(argv[0], argv);
  write_number(kFailure, errno);
  _exit(127);
}

// Runs after fork in a process that may have threads: system calls only.
[[noreturn]] void become_guard(std::array<int, 3> ends, char* const* argv, const char* folder, const char* temporary) {
  for (int& fd : ends) fd = fcntl(fd, F_DUPFD, 20); // out of the way of the numbers to come
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {0, 1, 2}) dup2(null, fd);
  for (std::size_t i = 0; i < ends.size(); ++i) dup2(ends[i], kLife + static_cast<int>(i));
  close_from(kFailure);
  std::array<int, 2> failure{-1, -1};
  Report report{CommandEnd::Kind::not_started, EAGAIN};
  const auto tell = [&] { [[maybe_unused]] const auto written = write(kReport, &report, sizeof report); };
  if (pipe(failure.data()) != 0) tell(), _exit(1);
  const int failed = fcntl(failure[0], F_DUPFD, kFailed);
  const int fails = fcntl(failure[1], F_DUPFD, kFailed);
  dup2(failed, kFailed);
  dup2(fails, kFailure);
  close_from(kFailed + 1);
  struct sigaction action {};
  action.sa_handler = wake;
  sigaction(SIGCHLD, &action, nullptr);
  for (const int stop : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(stop, SIG_IGN);
  sigset_t children, none;
  sigemptyset(&children);
  sigemptyset(&none);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_SETMASK, &children, nullptr); // so that it comes while ppoll waits
  const pid_t child = fork();
  if (child == 0) become_command(argv, folder, none);
  close(kFailure);
  close(kOutput);
  if (child < 0) tell(), _exit(1);
  setpgid(child, child); // whoever of the two is first

  // Not reaped before its group is ended: until then nobody else can have its number.
  bool abandoned = false;
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0) {
    pollfd life{kLife, POLLIN, 0};
    if (ppoll(&life, 1, nullptr, &none) <= 0) continue;
    char byte = 0;
    const ssize_t n = read(kLife, &byte, 1);
    if (n < 0) continue;
    abandoned = n == 0;
    break;
  }
  for (const pid_t all : {-child, child}) kill(all, SIGKILL); // itself too, should it have left its group
  int status = 0;
  waitpid(child, &status, 0);
  if (abandoned) {
    execl("/bin/rm", "rm", "-rf", "--", temporary, static_cast<char*>(nullptr));
    _exit(1);
  }
  report.kind = WIFSIGNALED(status) ? CommandEnd::Kind::killed : CommandEnd::Kind::exited;
  report.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  int error = 0;
  if (read(kFailed, &error, sizeof error) == sizeof error) report = {CommandEnd::Kind::not_started, error};
  tell();
  _exit(0);
}

class Pipe {
 public:
  explicit Pipe(bool is_socket = false) { // a socket: writing into it is no signal when its reader is gone
    const int made =
        is_socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) : pipe2(ends_.data(), O_CLOEXEC);
    if (made != 0) ends_ = {-1, -1};
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    for (const int end : {0, 1}) close_end(end);
  }
  bool is_open() const { return ends_[0] >= 0; }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_end(int end) {
    int& fd = ends_[static_cast<std::size_t>(end)];
    if (fd >= 0) ::close(fd);
    fd = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

// What is there now.
void take_output(int fd, std::string& output) {
  std::array<char, 4096> chunk;
  for (int i = 0; i < 64; ++i) {
    const ssize_t n = read(fd, chunk.data(), chunk.size());
    if (n <= 0) return;
    output.append(chunk.data(), static_cast<std::size_t>(n));
    if (output.size() > kOutputKept) output.erase(0, output.size() - kOutputKept);
  }
}

// Until the guard reports or is gone. `life`: a byte through it makes the guard end the command.
CommandEnd wait_for_guard(int report_fd, int output_fd, int life, double timeout_s) {
  CommandEnd end;
  std::optional<Clock::time_point> deadline;
  if (timeout_s > 0)
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s));
  bool timed_out = false;
  std::array<pollfd, 2> fds{{{report_fd, POLLIN, 0}, {output_fd, POLLIN, 0}}};
  while (true) {
    int wait_ms = -1;
    if (deadline && !timed_out) {
      const std::chrono::duration<double, std::milli> left = *deadline - Clock::now();
      wait_ms = std::clamp(static_cast<int>(std::ceil(std::min(left.count(), 1e9))), 0, 1'000'000'000);
    }
    const int ready = poll(fds.data(), fds.size(), wait_ms);
    if (ready < 0 && errno != EINTR) break;
    if (ready == 0) {
      timed_out = true;
      [[maybe_unused]] const auto sent = send(life, "k", 1, MSG_NOSIGNAL);
      continue;
    }
    if (fds[1].revents != 0) {
      take_output(output_fd, end.output);
      if ((fds[1].revents & POLLHUP) != 0) fds[1].fd = -1;
    }
    if (fds[0].revents == 0) continue;
    Report report{CommandEnd::Kind::not_started, ECHILD};
    if (read(report_fd, &report, sizeof report) == sizeof report) {
      end.kind = timed_out ? CommandEnd::Kind::timed_out : report.kind;
      end.code = report.code;
    } else { // somebody ended the guard, and the command with it
      end.kind = CommandEnd::Kind::killed;
      end.code = SIGKILL;
    }
    break;
  }
  take_output(output_fd, end.output);
  return end;
}

} // namespace

std::string CommandEnd::sentence() const {
  const char* signal_name = kind == Kind::killed ? strsignal(code) : nullptr;
  std::string text = kind == Kind::exited ? fmt::format("exited with code {}", code)
                     : kind == Kind::killed
                         ? fmt::format("was killed by signal {} ({})", code, signal_name ? signal_name : "unknown")
                     : kind == Kind::timed_out ? "did not end in time and was killed"
                                               : fmt::format("could not be started: {}", std::strerror(code));
  std::string_view said = output;
  while (!said.empty() && (said.back() == '\n' || said.back() == '\r')) said.remove_suffix(1);
  if (!said.empty()) text.append("; its last output:\n").append(said);
  return text;
}

CommandEnd run_command(const std::vector<std::string>& words, const std::filesystem::path& folder, double timeout_s,
                       const std::filesystem::path& temporary) {
  CommandEnd end;
  end.code = EINVAL;
  if (words.empty()) return end;
  Pipe life(true), report, output;
  end.code = EMFILE;
  if (!life.is_open() || !report.is_open() || !output.is_open()) return end;
  fcntl(output.read_end(), F_SETFL, O_NONBLOCK);
  std::vector<std::string> kept = words;
  std::vector<char*> argv;
  for (std::string& word : kept) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string where = folder.string(), leftover = temporary.string();
  const pid_t guard = fork();
  if (guard < 0) {
    end.code = errno;
    return end;
  }
  if (guard == 0)
    become_guard({life.read_end(), report.write_end(), output.write_end()}, argv.data(), where.c_str(),
                 leftover.c_str());
  life.close_end(0);
  report.close_end(1);
  output.close_end(1);
  end = wait_for_guard(report.read_end(), output.read_end(), life.write_end(), timeout_s);
  while (waitpid(guard, nullptr, 0) < 0 && errno == EINTR) {
  }
  return end;
}

} // namespace warptune
