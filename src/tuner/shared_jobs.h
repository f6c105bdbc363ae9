// SharedJobs: the jobs of a sweep that several processes share. A sweep gets its jobs from it, one after the other, and
// reports the end of each job to it. src/cluster implements it.
#pragma once

#include "core/device.h"
#include "core/result.h"

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace warptune {

struct JobReport;

// A job that this process has claimed.
struct SharedJob {
  std::size_t job = 0;            // index into the jobs of the sweep
  std::filesystem::path database; // for its session
  bool resume = false;            // the database may hold its unfinished session
};

// Called from the threads of all devices.
class SharedJobs {
 public:
  virtual ~SharedJobs() = default;
  // The next job for a device. Waits if only other processes work on the jobs that are left. nullopt: nothing is left
  // for this process, or `stop` is set. Error (database): the run folder cannot be used.
  virtual Result<std::optional<SharedJob>> next(const DeviceInfo& device, const std::atomic<bool>& stop) = 0;
  // Publishes the database of a job, and says how the job ended. A job that was interrupted is handed back. Errors as
  // above; the result is then only in the database.
  virtual Result<void> ended(const SharedJob& job, const DeviceInfo& device, const JobReport& report) = 0;
  // Whether the run continues; false: it was cancelled. Takes little time. Error: the claims of this process may be
  // lost.
  virtual Result<bool> goes_on() const = 0;
  virtual std::size_t
  done() const = 0; // number of jobs that all processes have ended, when the run folder was last read
};

} // namespace warptune
