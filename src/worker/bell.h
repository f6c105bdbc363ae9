// Bell: wakes a thread that waits in poll().
#pragma once

#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>

namespace warptune {

class Bell {
 public:
  Bell() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Bell() {
    if (fd_ >= 0) close(fd_);
  }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  void ring() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
  }
  void quiet() const {
    std::uint64_t rung = 0;
    [[maybe_unused]] const ssize_t got = read(fd_, &rung, sizeof rung);
  }
  int descriptor() const { return fd_; } // readable once it was rung, until it is quiet

 private:
  int fd_;
};

} // namespace warptune
