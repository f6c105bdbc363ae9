#include "recording/text_file.h"

#include "core/file_errors.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace warptune {
namespace fs = std::filesystem;
namespace {

Result<std::string> read_bytes(const fs::path& file, std::string_view what, std::size_t limit, bool beginning) {
  std::error_code ec;
  if (fs::is_directory(file, ec))
    return fail(ErrorKind::bad_input, fmt::format("{} is a directory, not a {}", file.string(), what));
  // Reading a pipe would block, and a device may never end.
  if (fs::exists(file, ec) && !fs::is_regular_file(file, ec))
    return fail(ErrorKind::bad_input,
                fmt::format("{} is a pipe, a socket or a device, not a {}; name a file", file.string(), what));
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return fail(ErrorKind::bad_input,
                fmt::format("cannot read the {} {}: {}; name another file", what, file.string(), std::strerror(errno)));
  const auto too_large = [&] {
    return fail(ErrorKind::bad_input, fmt::format("{} is larger than {} MiB, the limit for a {}; name another file",
                                                  file.string(), limit >> 20, what));
  };
  if (const auto size = fs::file_size(file, ec); !beginning && !ec && size > limit) return too_large();
  std::string text;
  char chunk[65536];
  while ((!beginning || text.size() < limit) && (in.read(chunk, sizeof chunk) || in.gcount() > 0))
    if (text.append(chunk, static_cast<std::size_t>(in.gcount())).size() > limit && !beginning)
      return too_large(); // the file grew while being read
  if (in.bad())
    return fail(ErrorKind::bad_input,
                fmt::format("cannot read the {} {}: {}", what, file.string(), std::strerror(errno)));
  return text;
}

bool write_all(int fd, std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t n = write(fd, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  return fsync(fd) == 0 || errno == EINVAL || errno == EROFS; // only regular files can be flushed
}

// Devices and pipes are written in place: they must not be replaced. Returns errno, or 0.
int write_in_place(const fs::path& file, std::string_view text) {
  const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK); // do not wait for a pipe's reader
  if (fd < 0) return errno;
  const bool written = fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0 && write_all(fd, text);
  const int error = errno;
  close(fd);
  return written ? 0 : error;
}

} // namespace

Result<std::string> read_text_file(const fs::path& file, std::string_view what, std::size_t limit) {
  return read_bytes(file, what, limit, false);
}

Result<std::string> read_beginning(const fs::path& file, std::string_view what, std::size_t first_bytes) {
  return read_bytes(file, what, first_bytes, true);
}

Result<void> write_text_file(const fs::path& file, std::string_view what, std::string_view text) {
  const auto bad = [&](int error, std::string_view why) {
    const bool is_full = error == EFBIG || error == ENOSPC || error == EDQUOT;
    return fail(kind_of_write_error(error),
                fmt::format("cannot write the {} {}: {}{}", what, file.string(), why,
                            is_full ? "; free some space, raise the limit on file sizes, or name another file" : ""));
  };
  struct stat there {};
  const bool exists = ::stat(file.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) return bad(EISDIR, "this is a directory; name a file in it");
  std::error_code ec;
  if (exists && !S_ISREG(there.st_mode)) {
    const int error = write_in_place(file, text);
    if (error == 0) return {};
    return bad(error, error == ENXIO ? "this pipe has no reader; start the reader first" : std::strerror(error));
  }
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ec);
  const fs::path target = exists ? fs::canonical(file, ec) : file; // follow a link, so that it remains a link
  const fs::path temporary = target.string() + fmt::format(".{}.tmp", getpid());
  const mode_t mode = exists ? there.st_mode & 0777 : 0644;
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (fd < 0) return bad(errno, std::strerror(errno));
  bool done = write_all(fd, text) && (!exists || fchmod(fd, mode) == 0);
  int error = errno;
  done = close(fd) == 0 && done;
  if (done && rename(temporary.c_str(), target.c_str()) != 0) {
    done = false;
    error = errno;
  }
  if (done) return {};
  unlink(temporary.c_str());
  return bad(error, std::strerror(error));
}

} // namespace warptune
