#include "runtime/file_stamp.h"

#include <sys/stat.h>

namespace warptune {
namespace {

std::uint64_t modified_ns(const struct stat& status) {
  return static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
}

} // namespace

FileStamp stamp_of(const std::filesystem::path& path) {
  FileStamp stamp;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    stamp.device = status.st_dev;
    stamp.inode = status.st_ino;
    stamp.size = static_cast<std::uint64_t>(status.st_size);
    stamp.modified_ns = modified_ns(status);
  }
  // Readers leave an empty log behind: ignore it.
  if (::stat((path.string() + "-wal").c_str(), &status) == 0 && status.st_size > 0) {
    stamp.log_size = static_cast<std::uint64_t>(status.st_size);
    stamp.log_modified_ns = modified_ns(status);
  }
  return stamp;
}

} // namespace warptune
