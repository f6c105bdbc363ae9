// Collects the databases that the processes of a run have published, for merging on this machine.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <vector>

namespace warptune {

// Copies of a run's databases, in a local folder that is removed with the object. SQLite must not open files of a run
// folder, because locks on network file systems may hang.
class CollectedRun {
 public:
  // `run` need not be complete. Errors (database): not a run, nothing published yet, or no space for the copies in
  // $TMPDIR.
  static Result<CollectedRun> copy(const std::filesystem::path& run);
  ~CollectedRun();
  CollectedRun(CollectedRun&& other) noexcept;
  CollectedRun& operator=(CollectedRun&&) = delete;

  const std::vector<std::filesystem::path>& copies() const { return copies_; }
  const std::vector<std::filesystem::path>& originals() const { return originals_; } // in the same order

 private:
  CollectedRun() = default;
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> copies_, originals_;
};

} // namespace warptune
