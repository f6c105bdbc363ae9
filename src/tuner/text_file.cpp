#include "tuner/text_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace warptune {
namespace fs = std::filesystem;
namespace {

Result<std::string> read_bytes(const fs::path& file, std::string_view what, std::size_t limit, bool beginning) {
  std::error_code ec;
  if (fs::is_directory(file, ec))
    return fail(ErrorKind::bad_input, fmt::format("{} is a directory, not a {}", file.string(), what));
  // A pipe would be waited for, and a device may never end.
  if (fs::exists(file, ec) && !fs::is_regular_file(file, ec))
    return fail(ErrorKind::bad_input,
                fmt::format("{} is a pipe, a socket or a device, not a {}; give a file or a directory of {}s",
                            file.string(), what, what));
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return fail(ErrorKind::bad_input, fmt::format("cannot read the {} {}: {}; give a file or a directory of {}s", what,
                                                  file.string(), std::strerror(errno), what));
  std::string text;
  char chunk[65536];
  while ((!beginning || text.size() < limit) && (in.read(chunk, sizeof chunk) || in.gcount() > 0))
    if (text.append(chunk, static_cast<std::size_t>(in.gcount())).size() > limit && !beginning)
      return fail(ErrorKind::bad_input, fmt::format("{} is larger than {} MiB, as no {} is; give another file",
                                                    file.string(), limit >> 20, what));
  if (in.bad())
    return fail(ErrorKind::bad_input,
                fmt::format("cannot read the {} {}: {}", what, file.string(), std::strerror(errno)));
  return text;
}

} // namespace

Result<std::string> read_text_file(const fs::path& file, std::string_view what, std::size_t limit) {
  return read_bytes(file, what, limit, false);
}

Result<std::string> read_beginning(const fs::path& file, std::string_view what, std::size_t first_bytes) {
  return read_bytes(file, what, first_bytes, true);
}

Result<void> write_text_file(const fs::path& file, std::string_view what, std::string_view text) {
  const auto bad = [&](const char* step) {
    return fail(ErrorKind::bad_input,
                fmt::format("cannot write the {} {}: {}: {}", what, file.string(), step, std::strerror(errno)));
  };
  std::error_code ec;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ec);
  const fs::path temporary = file.string() + fmt::format(".{}.tmp", getpid());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return bad("open");
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  const bool written = text.empty() && fsync(fd) == 0;
  const int error = errno;
  close(fd);
  if (!written || rename(temporary.c_str(), file.c_str()) != 0) {
    if (!written) errno = error;
    auto failure = bad("write");
    unlink(temporary.c_str());
    return failure;
  }
  return {};
}

} // namespace warptune
