#include "system/text_file.h"

#include "system/descriptor.h"
#include "system/file_errors.h"
#include "system/new_file.h"
#include "system/whole_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

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
  const auto too_large = [&] {
    return fail(ErrorKind::bad_input, fmt::format("{} is larger than {} MiB, the limit for a {}; name another file",
                                                  file.string(), limit >> 20, what));
  };
  if (const auto size = fs::file_size(file, ec); !beginning && !ec && size > limit) return too_large();
  auto text = read_file(file, beginning ? limit : limit + 1);
  if (!text)
    return fail(ErrorKind::bad_input, fmt::format("cannot read the {} {}: {}; name another file", what, file.string(),
                                                  std::strerror(text.error())));
  if (!beginning && text->size() > limit) return too_large(); // the file grew after it was measured
  return std::move(*text);
}

// Devices and pipes are written in place: they must not be replaced. Returns errno, or 0.
int write_in_place(const fs::path& file, std::string_view text) {
  Descriptor there(open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK)); // do not wait for a pipe's reader
  const bool is_written = there && fcntl(there.get(), F_SETFL, fcntl(there.get(), F_GETFL) & ~O_NONBLOCK) == 0 &&
                          write_all(there.get(), text) && flush_to_disk(there.get());
  return is_written ? 0 : errno;
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
  const mode_t mode = exists ? there.st_mode & 0777 : 0644;
  NewFile made(target, mode);
  if (made && made.write(text) && (!exists || made.set_mode(mode)) && made.finish(Flush::yes) && made.become_target())
    return {};
  const int error = errno;
  return bad(error, std::strerror(error));
}

} // namespace warptune
