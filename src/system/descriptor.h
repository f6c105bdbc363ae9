// Open files: closed at the end of a scope, and read or written completely although signals interrupt system calls.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace warptune {

// A file descriptor that is closed at the end of its scope. Negative: there is none, and opening failed.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  // Returns false, with errno, on failure: NFS may report a full disk only here.
  bool close();

 private:
  int fd_ = -1;
};

// The following functions return false, with errno, on failure.
bool write_all(int fd, std::string_view bytes);
// Appends the bytes from the descriptor's position to the end of the file, but at most `limit` bytes.
bool read_all(int fd, std::string& bytes, std::size_t limit = std::string::npos);
// Waits until the disk has the file. Succeeds for files that cannot be flushed, such as pipes and devices.
bool flush_to_disk(int fd);

// Whether the opened file is still the one at this path. Another process may have removed it, and a lock on a removed
// file guards nothing.
bool is_still_at(int fd, const std::filesystem::path& path);

} // namespace warptune
