#include "tuner/session_lock.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace warptune {
namespace fs = std::filesystem;
namespace {

// A worker that a killed coordinator had just forked shares the lock until it starts its program or dies.
constexpr auto kPatience = std::chrono::milliseconds(500), kPause = std::chrono::milliseconds(20);

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
  const Descriptor file(::open(lock_file(database, session).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  const bool held = file && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return held ? holder_of(file.get()) : std::string();
}

Result<std::optional<SessionLock>> SessionLock::take(const fs::path& database, RowId session, std::string& holder) {
  const fs::path file = lock_file(database, session);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    Descriptor opened(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!opened)
      return fail(ErrorKind::database,
                  fmt::format("cannot create {}, which locks a running session: {}; name another database "
                              "with --db",
                              file.string(), std::strerror(errno)));
    // On a file system without such locks, nothing is guarded, but tuning is still possible.
    const bool locked = ::flock(opened.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (locked && is_still_at(opened.get(), file)) {
      const std::string pid = std::to_string(::getpid());
      if (::ftruncate(opened.get(), 0) == 0) // the number is only for messages; the lock does not need it
          [[maybe_unused]]
        const ssize_t written = ::pwrite(opened.get(), pid.data(), pid.size(), 0);
      return SessionLock(file, std::move(opened));
    }
    if (locked) continue;
    holder = holder_of(opened.get());
    opened.close();
    if (std::chrono::steady_clock::now() > until) return std::nullopt;
    std::this_thread::sleep_for(kPause);
  }
}

SessionLock& SessionLock::operator=(SessionLock&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(opened_, other.opened_);
  return *this;
}

SessionLock::~SessionLock() {
  if (opened_) ::unlink(file_.c_str()); // before the lock is released: afterwards another process may own the file
}

} // namespace warptune
