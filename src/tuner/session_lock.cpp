#include "tuner/session_lock.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace warptune {
namespace fs = std::filesystem;
namespace {

// A worker that a killed coordinator had just forked shares the lock until it starts its program or dies.
constexpr auto kPatience = std::chrono::milliseconds(500), kPause = std::chrono::milliseconds(20);

// Whether the opened file is still the one at this path. The previous holder may have removed it, and a lock on a
// removed file guards nothing.
bool is_still(const fs::path& file, int fd) {
  struct stat opened {
  }, named{};
  return ::fstat(fd, &opened) == 0 && ::stat(file.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

std::string holder_of(int fd) {
  char text[32];
  const ssize_t n = ::pread(fd, text, sizeof text, 0);
  const std::string pid(text, n > 0 ? static_cast<std::size_t>(n) : 0);
  const bool known = !pid.empty() && pid.find_first_not_of("0123456789") == std::string::npos;
  return known ? "process " + pid : "another process";
}

fs::path lock_file(const fs::path& database, RowId session) {
  std::error_code ec;
  fs::path real = fs::weakly_canonical(database, ec); // one lock for all spellings of the database's path
  if (ec) real = database;
  return real.string() + fmt::format(".session-{}.lock", session);
}

} // namespace

std::string SessionLock::holder(const fs::path& database, RowId session) {
  const int fd = ::open(lock_file(database, session).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return {};
  const bool held = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  std::string who = held ? holder_of(fd) : std::string();
  ::close(fd);
  return who;
}

Result<std::optional<SessionLock>> SessionLock::take(const fs::path& database, RowId session, std::string& holder) {
  const fs::path file = lock_file(database, session);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
      return fail(ErrorKind::database,
                  fmt::format("cannot create {}, which locks a running session: {}; name another database "
                              "with --db",
                              file.string(), std::strerror(errno)));
    // On a file system without such locks, nothing is guarded, but tuning is still possible.
    const bool locked = ::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (locked && is_still(file, fd)) {
      const std::string pid = std::to_string(::getpid());
      if (::ftruncate(fd, 0) == 0) // the number is only for messages; the lock does not need it
          [[maybe_unused]]
        const ssize_t written = ::pwrite(fd, pid.data(), pid.size(), 0);
      return SessionLock(file, fd);
    }
    if (!locked) holder = holder_of(fd);
    ::close(fd);
    if (locked) continue;
    if (std::chrono::steady_clock::now() > until) return std::nullopt;
    std::this_thread::sleep_for(kPause);
  }
}

SessionLock::SessionLock(SessionLock&& other) noexcept
    : file_(std::move(other.file_)), fd_(std::exchange(other.fd_, -1)) {}

SessionLock& SessionLock::operator=(SessionLock&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(fd_, other.fd_);
  return *this;
}

SessionLock::~SessionLock() {
  if (fd_ < 0) return;
  ::unlink(file_.c_str()); // before the lock is released: afterwards another process may own the file
  ::close(fd_);
}

} // namespace warptune
