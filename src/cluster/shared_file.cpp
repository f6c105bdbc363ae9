#include "cluster/shared_file.h"

#include "db/temporary_path.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace warptune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".tmp"; // suffix of names from temporary_path
constexpr std::size_t kChunk = 1 << 20;
constexpr std::size_t kMaxText = 64 << 20;        // far more than any file of a run that is read as a whole
constexpr int kReadStray = O_RDONLY | O_NONBLOCK; // reads a stray pipe as an empty file, instead of blocking

// The outermost missing folder of a path; the path itself if its parent exists.
fs::path missing_part(fs::path path) {
  std::error_code none;
  while (!path.parent_path().empty() && !fs::exists(path.parent_path(), none)) path = path.parent_path();
  return path;
}

std::string advice(int error, const fs::path& file) {
  switch (error) {
  case ENOENT:
  case ESTALE:
    return fmt::format("{} was deleted or moved; put it back, or name a new run folder", missing_part(file).string());
  case EISDIR:
    return "warptune makes a file there, not a folder; move the folder away";
  case ENOSPC:
  case EDQUOT:
  case EFBIG:
    return "free some space and repeat the command; everything that was published is complete";
  case EPERM:
  case EOPNOTSUPP:
  case EMLINK:
  case EXDEV:
    return "a run folder needs a file system with hard links; name a folder on another file system";
  default:
    return "check the folder and its permissions, or name another one";
  }
}

tl::unexpected<Error> cannot(const char* what, const fs::path& file, int error) {
  return fail(ErrorKind::database,
              fmt::format("cannot {} {}: {}; {}", what, file.string(), std::strerror(error), advice(error, file)));
}

class OpenFile {
 public:
  OpenFile(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  // True if everything was written. NFS may report a full disk only here.
  bool finish(bool sync) {
    if (sync && ::fsync(fd_) != 0) return false;
    return ::close(std::exchange(fd_, -1)) == 0;
  }

 private:
  int fd_;
};

// A temporary file that is removed unless it is renamed.
class Unfinished {
 public:
  explicit Unfinished(const fs::path& target) : path_(temporary_path(target)) {}
  ~Unfinished() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const fs::path& path() const { return path_; }
  Result<void> become(const fs::path& to) {
    if (::rename(path_.c_str(), to.c_str()) != 0) return cannot("write", to, errno);
    path_.clear();
    return {};
  }

 private:
  fs::path path_;
};

Result<void> write_whole(const fs::path& path, std::string_view text, const fs::path& target, bool sync) {
  OpenFile file(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!file || !file.write(text) || !file.finish(sync)) return cannot("write", target, errno);
  return {};
}

// `ask` returns 0 or errno. If another client replaces an open file, NFS 3 reports it as stale: try again.
template <class Ask> int until_not_stale(const Ask& ask) {
  constexpr int kMaxTries = 5;
  int error = ask();
  for (int tries = 1; error == ESTALE && tries < kMaxTries; ++tries) error = ask();
  return error;
}

// Returns 0 or errno. Reads slightly more than kMaxText, so that callers can detect longer files.
int read_text(const fs::path& path, std::string& text) {
  text.clear();
  const OpenFile file(path, kReadStray);
  if (!file) return errno;
  std::array<char, 4096> chunk{};
  while (text.size() <= kMaxText) {
    const ssize_t n = ::read(file.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
  return 0;
}

FileTime time_of(const struct stat& status) {
  return std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec);
}

} // namespace

Result<void> replace_shared(const fs::path& to, std::string_view text) {
  Unfinished made(to);
  WT_CHECK(write_whole(made.path(), text, to, false));
  return made.become(to);
}

Result<void> copy_to_shared(const fs::path& from, const fs::path& to) {
  const OpenFile source(from, O_RDONLY);
  if (!source) return cannot("read", from, errno);
  Unfinished made(to);
  OpenFile copy(made.path(), O_WRONLY | O_CREAT | O_EXCL);
  if (!copy) return cannot("write", to, errno);
  std::string chunk(kChunk, '\0');
  for (;;) {
    const ssize_t n = ::read(source.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot("read", from, errno);
    if (n == 0) break;
    if (!copy.write(std::string_view(chunk).substr(0, static_cast<std::size_t>(n)))) return cannot("write", to, errno);
  }
  if (!copy.finish(true)) return cannot("write", to, errno);
  return made.become(to);
}

Result<bool> create_shared(const fs::path& to, std::string_view text, bool sync) {
  const Unfinished made(to);
  WT_CHECK(write_whole(made.path(), text, to, sync));
  if (::link(made.path().c_str(), to.c_str()) == 0) return true;
  const int error = errno;
  // A server's reply may be lost and the request repeated: then the link exists although the call failed.
  struct stat status {};
  if (::stat(made.path().c_str(), &status) == 0 && status.st_nlink == 2) return true;
  if (error == EEXIST) return false;
  return cannot("create", to, error);
}

Result<Linked> link_shared(const fs::path& from, const fs::path& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return Linked::made;
  const int error = errno;
  // As in create_shared, but the link count proves nothing here, because this file has many links.
  struct stat mine {};
  struct stat there {};
  if (::stat(to.c_str(), &there) == 0 && ::stat(from.c_str(), &mine) == 0 && mine.st_ino == there.st_ino &&
      mine.st_dev == there.st_dev)
    return Linked::made;
  if (error == EEXIST) return Linked::exists;
  if (error == EMLINK || error == ENOENT || error == ESTALE) return Linked::unusable;
  return cannot("create", to, error);
}

Result<std::optional<std::string>> read_shared(const fs::path& path) {
  std::string text;
  const int error = until_not_stale([&] { return read_text(path, text); });
  if (error == ENOENT) return std::nullopt;
  if (error != 0) return cannot("read", path, error);
  if (text.size() > kMaxText)
    return fail(ErrorKind::database, fmt::format("{} is larger than {} MiB, so it is damaged; remove or restore it",
                                                 path.string(), kMaxText >> 20));
  return text;
}

Result<void> renew_shared(const fs::path& file) {
  // Without times, the server uses its own clock instead of this machine's.
  if (::utimensat(AT_FDCWD, file.c_str(), nullptr, 0) != 0) return cannot("write", file, errno);
  return {};
}

Result<FileTime> touch_shared(const fs::path& file) {
  WT_CHECK(renew_shared(file));
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return cannot("write", file, errno);
  return time_of(status);
}

Result<std::optional<FileTime>> time_of_shared(const fs::path& path) {
  struct stat status {};
  const int error = until_not_stale([&] {
    const OpenFile file(path,
                        kReadStray); // opening asks the server; stat alone may use a stale cache
    return file && ::fstat(file.get(), &status) == 0 ? 0 : errno;
  });
  if (error == ENOENT) return std::nullopt;
  if (error != 0) return cannot("read", path, error);
  return time_of(status);
}

Result<std::vector<std::string>> list_shared(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (std::string name = entry->path().filename().string(); !name.ends_with(kUnfinished))
      names.push_back(std::move(name));
  if (error) return cannot("read", folder, error.value());
  return names;
}

Result<void> make_shared_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return {};
  // ENOENT: a file system such as /proc, where nobody can make a folder.
  if (error.value() == ENOENT)
    return fail(ErrorKind::database, fmt::format("cannot make {}: {}; name a folder on another file system",
                                                 folder.string(), error.message()));
  return cannot("make", folder, error.value());
}

} // namespace warptune
