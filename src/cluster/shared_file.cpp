#include "cluster/shared_file.h"

#include "system/descriptor.h"
#include "system/whole_file.h"

#include <cerrno>
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
constexpr std::size_t kMaxText = 64 << 20; // far more than any file of a run that is read as a whole
constexpr mode_t kMode = 0666;             // the run may be a group's: its umask decides

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

// `ask` returns 0 or errno. If another client replaces an open file, NFS 3 reports it as stale: try again.
template <class Ask> int until_not_stale(const Ask& ask) {
  constexpr int kMaxTries = 5;
  int error = ask();
  for (int tries = 1; error == ESTALE && tries < kMaxTries; ++tries) error = ask();
  return error;
}

FileTime time_of(const struct stat& status) {
  return std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec);
}

} // namespace

Result<void> replace_shared(const fs::path& to, std::string_view text) {
  if (const int error = replace_file(to, text, Flush::no, kMode); error != 0) return cannot("write", to, error);
  return {};
}

Result<void> copy_to_shared(const fs::path& from, const fs::path& to) {
  const Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source) return cannot("read", from, errno);
  NewFile made(to, kMode);
  if (!made) return cannot("write", to, errno);
  std::string chunk;
  do {
    chunk.clear();
    if (!read_all(source.get(), chunk, kChunk)) return cannot("read", from, errno);
    if (!made.write(chunk)) return cannot("write", to, errno);
  } while (!chunk.empty());
  if (!made.finish(Flush::yes) || !made.become_target()) return cannot("write", to, errno);
  return {};
}

Result<bool> create_shared(const fs::path& to, std::string_view text, Flush flush) {
  NewFile made(to, kMode);
  if (!made || !made.write(text) || !made.finish(flush)) return cannot("write", to, errno);
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
  const int error = until_not_stale([&] {
    auto bytes = read_file(path, kMaxText + 1);
    if (bytes) text = std::move(*bytes);
    return bytes ? 0 : bytes.error();
  });
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
    // Opening asks the server; stat may use a stale cache. O_NONBLOCK: opening a pipe would wait for its writer.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
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
