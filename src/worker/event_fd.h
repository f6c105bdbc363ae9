// EventFd: wraps an eventfd, which wakes a thread that waits in poll().
#pragma once

#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>

namespace warptune {

class EventFd {
 public:
  EventFd() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~EventFd() {
    if (fd_ >= 0) close(fd_);
  }
  EventFd(const EventFd&) = delete;
  EventFd& operator=(const EventFd&) = delete;
  void signal() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
  }
  void clear() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = read(fd_, &count, sizeof count);
  }
  int descriptor() const { return fd_; } // readable between signal() and clear()

 private:
  int fd_;
};

} // namespace warptune
