#include "system/whole_file.h"

#include "system/descriptor.h"

#include <cerrno>
#include <fcntl.h>

namespace warptune {

tl::expected<std::string, int> read_file(const std::filesystem::path& file, std::size_t limit) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); // does not wait for a pipe's writer
  std::string bytes;
  if (!opened || !read_all(opened.get(), bytes, limit)) return tl::make_unexpected(errno);
  return bytes;
}

int write_file(const std::filesystem::path& file, std::string_view bytes) {
  Descriptor opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  return opened && write_all(opened.get(), bytes) && opened.close() ? 0 : errno;
}

} // namespace warptune
