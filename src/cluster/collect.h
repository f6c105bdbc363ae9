// Copies the databases that a run's processes have published, so that they can be merged on this machine.
#pragma once

#include "cluster/missing_results.h"
#include "core/result.h"

#include <filesystem>
#include <vector>

namespace warptune {

// Copies of a run's databases, in a local folder that is removed with this object. SQLite must not open files in a run
// folder, because its locks may hang on network file systems.
class CollectedRun {
 public:
  // The run may still be incomplete. Errors (database): it is not a run, nothing has been published, or $TMPDIR has no
  // space for the copies.
  static Result<CollectedRun> copy(const std::filesystem::path& run);
  ~CollectedRun();
  CollectedRun(CollectedRun&& other) noexcept;
  CollectedRun& operator=(CollectedRun&&) = delete;

  const std::vector<std::filesystem::path>& copies() const { return copies_; }
  const std::vector<std::filesystem::path>& originals() const { return originals_; } // in the order of copies()
  const std::vector<MissingResult>& missing() const { return missing_; }
  // Number of jobs without an outcome, and number of all jobs. A job is counted once per device model for which any job
  // was claimed.
  std::size_t unfinished() const { return unfinished_; }
  std::size_t jobs() const { return jobs_; }

 private:
  CollectedRun() = default;
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> copies_, originals_;
  std::vector<MissingResult> missing_;
  std::size_t unfinished_ = 0, jobs_ = 0;
};

} // namespace warptune
