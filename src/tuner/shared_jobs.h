// SharedJobs: the jobs of a sweep that several processes share. A sweep takes jobs from this interface one by one, and
// reports the end of each job to the interface. src/cluster implements it.
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

// A job that this process has claimed, so that no other process works on it.
struct SharedJob {
  std::size_t job = 0;            // index into the sweep's jobs
  std::filesystem::path database; // database for the job's session
  bool resume = false;            // whether `database` may have an unfinished session of the job
};

// The functions are called from the threads of all devices.
class SharedJobs {
 public:
  virtual ~SharedJobs() = default;
  // Returns the next job for a device. Waits while other processes are working on all remaining jobs. nullopt: nothing
  // is left for this process, or `stop` is set. Error (database): the run folder cannot be used.
  virtual Result<std::optional<SharedJob>> next(const DeviceInfo& device, const std::atomic<bool>& stop) = 0;
  // Publishes the database of a job, and says how the job ended. An interrupted job becomes available to others. Error:
  // as for next(); the result is then only in the job's database.
  virtual Result<void> ended(const SharedJob& job, const DeviceInfo& device, const JobReport& report) = 0;
  // Whether the run continues; false: it was cancelled. Cheap. Error: this process may have lost its claims.
  virtual Result<bool> goes_on() const = 0;
  virtual std::size_t
  done() const = 0; // number of jobs that have ended, in all processes, as of the last read of the run folder
};

} // namespace warptune
