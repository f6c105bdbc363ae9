#include "intercept/record_file.h"

#include "intercept/json_line.h"
#include "intercept/settings.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace warptune::intercept {
namespace {

constexpr std::uint64_t kReservedBytes = 256ULL << 20; // disk space that copies of buffers leave free
constexpr int kMaxNames = 10'000;                      // processes with the same pid, earlier or in other containers

std::mutex& file_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

// A file size limit (ulimit -f) would end the application with SIGXFSZ; while it is blocked, the write fails instead.
class BlockedSizeSignal {
 public:
  BlockedSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &old_);
  }
  BlockedSizeSignal(const BlockedSizeSignal&) = delete;
  BlockedSizeSignal& operator=(const BlockedSizeSignal&) = delete;
  ~BlockedSizeSignal() {
    constexpr timespec kNow{};
    if (sigismember(&old_, SIGXFSZ) == 0)
      while (sigtimedwait(&signal_, nullptr, &kNow) == SIGXFSZ) continue; // consume the signal that a write caused
    pthread_sigmask(SIG_SETMASK, &old_, nullptr);
  }

 private:
  sigset_t signal_{}, old_{};
};

bool write_all(int fd, const char* bytes, std::size_t size) {
  const BlockedSizeSignal blocked;
  while (size > 0) {
    const ssize_t written = ::write(fd, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

std::string read_file(const char* path) {
  std::string text;
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char part[4096];
  for (ssize_t got = 0; (got = ::read(fd, part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(got));
  ::close(fd);
  return text;
}

std::string own_program() {
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return length <= 0 ? std::string() : std::string(path, static_cast<std::size_t>(length));
}

std::string header() {
  std::string words, word;
  for (const char c : read_file("/proc/self/cmdline"))
    if (c == '\0') {
      add_element(words, json_text(word));
      word.clear();
    } else {
      word += c;
    }
  return JsonObject()
      .number("capture", 1)
      .number("pid", ::getpid())
      .number("parent", ::getppid())
      .number("time", std::time(nullptr))
      .text("program", own_program())
      .raw("command", "[" + words + "]")
      .str();
}

// Restores errno, so that writing records does not change the application's.
class KeptErrno {
 public:
  KeptErrno() : kept_(errno) {}
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;
  ~KeptErrno() { errno = kept_; }

 private:
  int kept_;
};

} // namespace

RecordFile& RecordFile::get() {
  static RecordFile& file = *new RecordFile;
  return file;
}

bool RecordFile::open() {
  if (is_closed_) return false;
  if (fd_ >= 0) return pid_ == ::getpid();
  pid_ = ::getpid();
  for (int i = 0; i < kMaxNames && fd_ < 0; ++i) {
    stem_ = std::to_string(pid_) + (i == 0 ? "" : "-" + std::to_string(i));
    const std::string path = settings().dir + "/" + stem_ + ".jsonl";
    fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  is_closed_ = fd_ < 0;
  if (is_closed_) return false;
  const std::string first = header() + "\n";
  is_closed_ = !write_all(fd_, first.data(), first.size());
  bytes_ = static_cast<std::int64_t>(first.size());
  return !is_closed_;
}

void RecordFile::line(std::string_view json) {
  const KeptErrno kept;
  const std::lock_guard lock(file_mutex());
  if (!settings().is_on() || !open()) return;
  std::string text(json);
  text += '\n';
  if (write_all(fd_, text.data(), text.size())) {
    bytes_ += static_cast<std::int64_t>(text.size());
    return;
  }
  is_closed_ = true; // remove the incomplete line if possible; the reader skips it otherwise
  [[maybe_unused]] const int ignored = ::ftruncate(fd_, bytes_);
}

void RecordFile::problem(const std::string& sentence) {
  {
    const std::lock_guard lock(file_mutex());
    if (problems_.find(sentence) != std::string::npos) return;
    problems_ += sentence + "\n";
  }
  line(JsonObject().text("problem", sentence).str());
}

std::string RecordFile::blob(std::string_view name, const void* bytes, std::size_t size) {
  const KeptErrno kept;
  std::string file;
  {
    const std::lock_guard lock(file_mutex());
    if (!open()) return {};
    file = stem_ + "-" + std::string(name) + ".bin";
  }
  struct statvfs disk {};
  const std::string path = settings().dir + "/" + file;
  if (::statvfs(settings().dir.c_str(), &disk) == 0 &&
      disk.f_bavail * disk.f_frsize < static_cast<std::uint64_t>(size) + kReservedBytes) {
    problem("the disk has too little free space for the contents of buffers, so they are not copied");
    return {};
  }
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  const bool is_written = fd >= 0 && write_all(fd, static_cast<const char*>(bytes), size);
  if (fd >= 0) ::close(fd);
  if (is_written) return file;
  if (fd >= 0) ::unlink(path.c_str());
  problem("the contents of a buffer cannot be written");
  return {};
}

} // namespace warptune::intercept
