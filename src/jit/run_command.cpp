#include "jit/run_command.h"

#include "jit/command_guard.h"

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
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace warptune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kOutputKept = 1024;
constexpr auto kGuardGrace = std::chrono::seconds(3); // time for the guard to end a command; a worker has five seconds
constexpr int kLookMs = 1000, kStopLookMs = 100;      // intervals of polling the guard and `stop`

Clock::duration seconds(double s) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(s, 1e9)));
}

class Pipe {
 public:
  explicit Pipe(bool is_socket = false) { // a socket: writing raises no signal after its reader is gone
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

// Passes on the output that is available now.
template <class Take> void read_available(int fd, Take take) {
  std::array<char, 4096> chunk;
  for (int i = 0; i < 64; ++i) {
    const ssize_t n = read(fd, chunk.data(), chunk.size());
    if (n <= 0) return;
    take(std::string_view(chunk.data(), static_cast<std::size_t>(n)));
  }
}

// The parent's side of a guard.
class GuardWatch {
 public:
  // `life`: a byte through it makes the guard end the command. `printed`: -1 if stdout comes through `output`.
  GuardWatch(pid_t guard, int life, int report, int output, int printed, const CommandOptions& options)
      : guard_(guard), life_(life),
        options_(options), fds_{{{report, POLLIN, 0}, {output, POLLIN, 0}, {printed, POLLIN, 0}}} {
    if (options.timeout_s > 0) deadline_ = Clock::now() + seconds(options.timeout_s);
  }

  // Waits until the guard reports or is gone.
  CommandEnd wait() {
    const int output = fds_[1].fd, printed = fds_[2].fd;
    while (true) {
      end_when_due();
      keep_awake();
      const int ready = poll(fds_.data(), fds_.size(), wait_ms());
      if (ready < 0 && errno != EINTR) break;
      if (ready <= 0) continue;
      take(fds_[1].fd, fds_[2].fd);
      for (const std::size_t i : {1U, 2U})
        if ((fds_[i].revents & POLLHUP) != 0) fds_[i].fd = -1;
      if (fds_[0].revents == 0) continue;
      take_report();
      break;
    }
    take(output, printed);
    return std::move(end_);
  }

 private:
  void end_when_due() {
    const auto now = Clock::now();
    if (!early_ && options_.stop && *options_.stop)
      end_early(CommandEnd::Kind::stopped);
    else if (!early_ && deadline_ && now >= *deadline_)
      end_early(CommandEnd::Kind::timed_out);
    if (early_ && now >= give_up_) kill(guard_, SIGKILL); // the command is then killed, too
  }
  void end_early(CommandEnd::Kind why) {
    early_ = why;
    give_up_ = Clock::now() + kGuardGrace;
    [[maybe_unused]] const auto sent = send(life_, "k", 1, MSG_NOSIGNAL);
  }
  // A command may stop the guard, which could then never end the command.
  void keep_awake() const {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(guard_), &info, WSTOPPED | WNOHANG) == 0 && info.si_pid != 0)
      kill(guard_, SIGCONT);
  }
  int wait_ms() const {
    const int look = options_.stop && !early_ ? kStopLookMs : kLookMs;
    if (!early_ && !deadline_) return look;
    const std::chrono::duration<double, std::milli> left = (early_ ? give_up_ : *deadline_) - Clock::now();
    return std::clamp(static_cast<int>(std::ceil(left.count())), early_ ? 1 : 0, look);
  }
  void take(int output, int printed) {
    if (output >= 0)
      read_available(output, [&](std::string_view bytes) {
        end_.output.append(bytes);
        if (end_.output.size() > kOutputKept) end_.output.erase(0, end_.output.size() - kOutputKept);
      });
    if (printed >= 0)
      read_available(printed, [&](std::string_view bytes) {
        const std::size_t room = options_.printed_bytes - end_.printed.size();
        end_.printed.append(bytes.substr(0, room));
        end_.printed_more |= bytes.size() > room;
      });
  }
  void take_report() {
    GuardReport report;
    if (read(fds_[0].fd, &report, sizeof report) != sizeof report)
      report.status = SIGKILL; // the guard was killed, and the command with it
    const int status = report.status;
    end_.kind = early_                ? *early_
                : report.error != 0   ? CommandEnd::Kind::not_started
                : WIFSIGNALED(status) ? CommandEnd::Kind::killed
                                      : CommandEnd::Kind::exited;
    end_.code = report.error != 0 ? report.error : WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }

  const pid_t guard_;
  const int life_;
  const CommandOptions& options_;
  std::array<pollfd, 3> fds_;
  std::optional<Clock::time_point> deadline_;
  std::optional<CommandEnd::Kind> early_; // why the guard was told to end the command
  Clock::time_point give_up_;             // when to kill the guard
  CommandEnd end_;
};

} // namespace

std::string CommandEnd::sentence() const {
  const char* signal_name = kind == Kind::killed ? strsignal(code) : nullptr;
  std::string text = kind == Kind::exited ? fmt::format("exited with code {}", code)
                     : kind == Kind::killed
                         ? fmt::format("was killed by signal {} ({})", code, signal_name ? signal_name : "unknown")
                     : kind == Kind::timed_out ? "did not finish in time and was killed"
                     : kind == Kind::stopped   ? "was stopped"
                                               : fmt::format("could not be started: {}", std::strerror(code));
  std::string_view said = output;
  while (!said.empty() && (said.back() == '\n' || said.back() == '\r')) said.remove_suffix(1);
  if (!said.empty()) text.append("; its last output:\n").append(said);
  return text;
}

CommandEnd run_command(const std::vector<std::string>& words, const std::filesystem::path& folder,
                       const std::filesystem::path& temporary, const CommandOptions& options) {
  CommandEnd end;
  end.code = EINVAL;
  if (words.empty()) return end;
  const bool apart = options.printed_bytes > 0;
  Pipe life(true), report, output, printed;
  end.code = EMFILE;
  if (!life.is_open() || !report.is_open() || !output.is_open() || !printed.is_open()) return end;
  for (const Pipe* pipe : {&output, &printed}) fcntl(pipe->read_end(), F_SETFL, O_NONBLOCK);
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
    become_guard(
        {life.read_end(), report.write_end(), apart ? printed.write_end() : output.write_end(), output.write_end()},
        argv.data(), where.c_str(), leftover.c_str());
  life.close_end(0);
  for (Pipe* pipe : {&report, &output, &printed}) pipe->close_end(1);
  end = GuardWatch(guard, life.write_end(), report.read_end(), output.read_end(), apart ? printed.read_end() : -1,
                   options)
            .wait();
  while (waitpid(guard, nullptr, 0) < 0 && errno == EINTR) {
  }
  return end;
}

} // namespace warptune
