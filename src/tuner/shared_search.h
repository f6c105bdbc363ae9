// SharedSearch: one search that several processes share. All make the same proposals, because their strategies have the
// same seed, the same knowledge and, in the order of the proposals, the same results. The first process to claim a
// candidate measures it, and all read its result. Together they do the work of a single process; a process whose
// proposals differ costs time but does no harm. One of them runs the finals. src/cluster implements it.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "core/trial.h"
#include "db/records.h"
#include "tuner/budget.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace warptune {

// Called from the session's thread. Error of every call (database): the run folder cannot be used.
class SharedSearch {
 public:
  virtual ~SharedSearch() = default;

  virtual int devices() const = 0; // devices that share the search, over all processes

  // Returns the device for which all strategies compute their expectations: that of the first process that calls this.
  // Error (bad_input): `own` is of another model.
  virtual Result<DeviceInfo> agree(const DeviceInfo& own) = 0;
  // Call it once, before the calls below. `limit`: evaluations of all processes together.
  virtual void begin(bool learns, std::int64_t limit) = 0;

  // Whether this process measures the configuration; false: another one does. Reads no folder, so it may be called
  // often; the answer changes when the other process is gone. Also an error (internal): too many processes in a row
  // ended while measuring it.
  virtual Result<bool> claim(ConfigIndex index) = 0;
  // Queues a trial of this process for exchange() or leave() to publish.
  virtual Result<void> put(const Trial& trial) = 0;
  struct News {
    std::vector<Trial> trials; // published by other processes since the last call
    std::optional<Ending>
        ending; // if set, another process ended the search early, or the run was cancelled (interrupted)
  };
  virtual Result<News> exchange() = 0;
  // Ends this process's part of the search: publishes everything and hands back unmeasured candidates.
  virtual Result<void> leave(Ending ending, const std::vector<ConfigIndex>& unfinished) = 0;

  enum class Finals { mine, done, stopped };
  // Waits until this process may run the finals (all others have then left the search; exchange() returns their last
  // trials), or until another process has run them. stopped: `stop` was set, or the run was cancelled. If the finals of
  // another process found no winner, returns the error of that process.
  virtual Result<Finals> await_finals(const std::atomic<bool>& stop) = 0;
  // The result of the finals; nullopt: there is none yet.
  virtual Result<std::optional<BestRecord>> winner() = 0;
};

} // namespace warptune
