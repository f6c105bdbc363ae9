// Locks a cache entry while a process makes the entry. The lock is a file that exists while the lock is held. The file
// is locked with flock, so the lock ends with its process.
#pragma once

#include "system/descriptor.h"

#include <filesystem>
#include <optional>
#include <utility>

namespace warptune {

class EntryLock {
 public:
  EntryLock() = default; // holds no lock
  // Waits until no other process holds the lock, and takes it. `timeout_s` <= 0: no limit. Returns nullopt on timeout.
  // If the file cannot be made or locked, returns an empty lock: then two processes may do the same work, but both
  // correctly.
  static std::optional<EntryLock> take(const std::filesystem::path& path, double timeout_s);
  EntryLock(EntryLock&& other) noexcept = default;
  EntryLock& operator=(EntryLock&&) = delete;
  ~EntryLock();

 private:
  EntryLock(std::filesystem::path path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  std::filesystem::path path_;
  Descriptor file_;
};

} // namespace warptune
