#include "system/descriptor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace warptune {

bool Descriptor::close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool read_all(int fd, std::string& bytes, std::size_t limit) {
  std::array<char, 65536> chunk;
  while (limit > 0) {
    const ssize_t n = ::read(fd, chunk.data(), std::min(chunk.size(), limit));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) break;
    bytes.append(chunk.data(), static_cast<std::size_t>(n));
    limit -= static_cast<std::size_t>(n);
  }
  return true;
}

bool flush_to_disk(int fd) { return ::fsync(fd) == 0 || errno == EINVAL || errno == EROFS; }

bool is_still_at(int fd, const std::filesystem::path& path) {
  struct stat opened {
  }, named{};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

} // namespace warptune
