// Replaces a file at once: writes a new file beside it, and renames that to it. A process that reads sees all of the
// old file or all of the new one, and of two writers one wins.
#pragma once

#include "system/descriptor.h"

#include <filesystem>
#include <string_view>
#include <sys/types.h>

namespace warptune {

enum class Flush { no, yes }; // yes: waits until the disk has the bytes, so that they survive a power failure

// A file with a temporary name (temporary_path), which is removed at the end of the scope unless it became the target.
// The member functions return false, with errno, on failure.
class NewFile {
 public:
  // False, with errno, if the file cannot be created. The process's umask restricts `mode`.
  explicit NewFile(const std::filesystem::path& target, mode_t mode = 0644);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  explicit operator bool() const { return static_cast<bool>(file_); }

  const std::filesystem::path& path() const { return path_; }
  bool write(std::string_view bytes) const { return write_all(file_.get(), bytes); }
  bool set_mode(mode_t mode) const; // whatever the umask is
  bool finish(Flush flush);         // afterwards the file is complete, and closed
  bool become_target();             // after finish()

 private:
  const std::filesystem::path target_;
  std::filesystem::path path_; // empty: there is nothing to remove
  Descriptor file_;
};

// Replaces `target` by a file with these bytes. Returns errno, or 0.
[[nodiscard]] int replace_file(const std::filesystem::path& target, std::string_view bytes, Flush flush,
                               mode_t mode = 0644);

} // namespace warptune
