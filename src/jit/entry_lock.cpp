#include "jit/entry_lock.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace warptune {
namespace {

constexpr auto kPause = std::chrono::milliseconds(20); // flock has no time limit of its own

// Whether the open file is still the one at this path: its last holder may have removed it.
bool is_at(int descriptor, const std::filesystem::path& path) {
  struct stat open_file {
  }, named{};
  return ::fstat(descriptor, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

} // namespace

std::optional<EntryLock> EntryLock::take(const std::filesystem::path& path, double timeout_s) {
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) return EntryLock();
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
      if (is_at(descriptor, path)) return EntryLock(path, descriptor);
      ::close(descriptor);
      continue;
    }
    const bool is_held = errno == EWOULDBLOCK || errno == EINTR;
    ::close(descriptor);
    if (!is_held) return EntryLock();
    if (timeout_s > 0 && std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(timeout_s))
      return std::nullopt;
    std::this_thread::sleep_for(kPause);
  }
}

EntryLock::~EntryLock() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str()); // while locked, so that no process removes a file that another has locked
  ::close(descriptor_);
}

} // namespace warptune
