#include "system/new_file.h"

#include "system/temporary_path.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warptune {

NewFile::NewFile(const std::filesystem::path& target, mode_t mode) : target_(target) {
  // A killed process with the number of this one may have left files.
  constexpr int kMaxTries = 100;
  for (int i = 0; i < kMaxTries && !file_; ++i) {
    path_ = temporary_path(target_);
    file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file_ && errno != EEXIST) break;
  }
  if (!file_) path_.clear();
}

NewFile::~NewFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

bool NewFile::set_mode(mode_t mode) const { return ::fchmod(file_.get(), mode) == 0; }

bool NewFile::finish(Flush flush) { return (flush == Flush::no || flush_to_disk(file_.get())) && file_.close(); }

bool NewFile::become_target() {
  if (::rename(path_.c_str(), target_.c_str()) != 0) return false;
  path_.clear();
  return true;
}

int replace_file(const std::filesystem::path& target, std::string_view bytes, Flush flush, mode_t mode) {
  NewFile made(target, mode);
  return made && made.write(bytes) && made.finish(flush) && made.become_target() ? 0 : errno;
}

} // namespace warptune
