// Runs code in a separate process, which a test can kill, limit, or run without root's rights.
#pragma once

#include <csignal>
#include <functional>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>

namespace warptune::test {

// `body` returns the exit code; the child leaves without running destructors of the parent's objects.
inline pid_t start_child(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    int code = 99;
    try {
      code = body();
    } catch (const std::exception& e) {
      std::cerr << e.what() << std::endl;
    }
    ::_exit(code);
  }
  return pid;
}

// The exit code, or 128 + the signal.
inline int wait_child(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline int run_child(const std::function<int()>& body) { return wait_child(start_child(body)); }

// Root may write any file, so a test of missing rights drops root first. Only for child processes.
inline bool drop_root() {
  if (::geteuid() != 0) return true;
  return ::setgid(65534) == 0 && ::setuid(65534) == 0;
}

} // namespace warptune::test
