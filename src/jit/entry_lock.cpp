#include "jit/entry_lock.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace warptune {
namespace {

constexpr auto kPause = std::chrono::milliseconds(20); // flock has no time limit of its own

} // namespace

std::optional<EntryLock> EntryLock::take(const std::filesystem::path& path, double timeout_s) {
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file) return EntryLock();
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      if (is_still_at(file.get(), path)) return EntryLock(path, std::move(file));
      continue;
    }
    const bool is_held = errno == EWOULDBLOCK || errno == EINTR;
    file.close();
    if (!is_held) return EntryLock();
    if (timeout_s > 0 && std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(timeout_s))
      return std::nullopt;
    std::this_thread::sleep_for(kPause);
  }
}

EntryLock::~EntryLock() {
  if (file_) ::unlink(path_.c_str()); // while locked, so that no process removes a file that another has locked
}

} // namespace warptune
