// Holds the command line at a line of its output with a full pipe, so that a signal reaches it at a known point.
#pragma once

#include "support/run_cli.h"

#include <algorithm>
#include <sched.h>
#include <sys/ioctl.h>

namespace warptune::test {

class HeldCli {
 public:
  // `room`: the number of bytes that fit; the first line that does not fit waits until drain().
  HeldCli(const CliRunner& runner, const std::vector<std::string>& arguments, std::size_t room) {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
    const auto capacity = static_cast<std::size_t>(std::max(::fcntl(fds[1], F_SETPIPE_SZ, 4096), 4096));
    filled_ = capacity - std::min(room, capacity);
    for (std::size_t i = 0; i < filled_; ++i)
      if (::write(fds[1], "x", 1) != 1) throw std::runtime_error("write failed");
    err_ = runner.dir() / ("held_err_" + std::to_string(fds[0]) + ".txt");
    std::filesystem::remove(err_);
    pid_ = start_child([&] {
      ::dup2(fds[1], STDOUT_FILENO);
      ::dup2(::open(err_.c_str(), O_WRONLY | O_CREAT, 0666), STDERR_FILENO);
      ::setpgid(0, 0);
      return runner.execute(arguments, {});
    });
    ::close(fds[1]);
    read_end_ = fds[0];
  }
  ~HeldCli() {
    if (!waited_) {
      ::kill(pid_, SIGKILL);
      wait_child(pid_);
    }
    ::close(read_end_);
  }
  HeldCli(const HeldCli&) = delete;
  HeldCli& operator=(const HeldCli&) = delete;

  void signal(int number) const { ::kill(pid_, number); }
  // Signals the process and its workers, as timeout(1) and shells do.
  void signal_group(int number) const { ::kill(-pid_, number); }
  std::string errors() const { return read_text(err_); }

  // Returns false if the process ended before that.
  bool wait_for_handler() {
    return wait_until([this] {
      const std::string text = read_text("/proc/" + std::to_string(pid_) + "/status");
      const std::size_t at = text.find("SigCgt:");
      return at != std::string::npos && (std::stoull(text.substr(at + 7), nullptr, 16) & (1ULL << (SIGINT - 1))) != 0;
    });
  }
  // Waits until the process has printed this number of bytes.
  bool wait_for_output(std::size_t bytes) {
    return wait_until([&] {
      int readable = 0;
      return ::ioctl(read_end_, FIONREAD, &readable) == 0 && static_cast<std::size_t>(readable) >= filled_ + bytes;
    });
  }
  bool wait_for_error(const std::string& text) {
    return wait_until([&] { return errors().find(text) != std::string::npos; });
  }

  // Returns all output of the process, and waits for its end.
  std::string drain() const {
    std::string out;
    char chunk[4096];
    for (ssize_t n = 0; (n = ::read(read_end_, chunk, sizeof chunk)) > 0;)
      out.append(chunk, static_cast<std::size_t>(n));
    return out.substr(std::min(filled_, out.size()));
  }
  int wait() {
    waited_ = true;
    return wait_child(pid_);
  }

 private:
  template <class Condition> bool wait_until(Condition condition) {
    while (!condition()) {
      siginfo_t ended{};
      if (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0)
        return condition();
      ::sched_yield();
    }
    return true;
  }

  pid_t pid_ = -1;
  int read_end_ = -1;
  std::size_t filled_ = 0;
  std::filesystem::path err_;
  bool waited_ = false;
};

} // namespace warptune::test
