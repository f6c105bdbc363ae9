// The lock of a cache entry that is being made: a file that exists as long as it is held, locked with flock, so that it
// ends with its process.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

namespace warptune {

class EntryLock {
 public:
  EntryLock() = default; // of nothing
  // Waits until nobody else holds it. `timeout_s` <= 0: without limit. Nothing: the time has passed. Where no such file
  // can be made or locked, the lock is of nothing: work is then done twice, and right.
  static std::optional<EntryLock> take(const std::filesystem::path& path, double timeout_s);
  EntryLock(EntryLock&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  EntryLock& operator=(EntryLock&&) = delete;
  ~EntryLock();

 private:
  EntryLock(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::filesystem::path path_;
  int descriptor_ = -1;
};

} // namespace warptune
