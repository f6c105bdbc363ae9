// SharedSearch: one search that several processes share. All make the same proposals, because their strategies have the
// same seed, the same knowledge and, in the order of the proposals, the same results. Each candidate is measured by the
// process that claims it first, and all read its result. So the processes together do what one process would do alone,
// and a process that differs costs time, but does no harm. One of them holds the finals. src/cluster implements it.
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

// Called from the thread of the session. Error of all (database): the run folder cannot be used.
class SharedSearch {
 public:
  virtual ~SharedSearch() = default;

  virtual int devices() const = 0; // that share the search, of all processes

  // Returns the device for which all strategies compute their expectations: that of the first process that calls this.
  // Error (bad_input): it is of another model.
  virtual Result<DeviceInfo> agree(const DeviceInfo& own) = 0;
  // Call it once, before the calls below. `limit`: of the evaluations of all processes.
  virtual void begin(bool learns, std::int64_t limit) = 0;

  // Whether this process measures the configuration; false: another one does. Reads no folder, so it may be called
  // often; the answer changes when the other process is gone. Error also (internal): too many processes in a row ended
  // while they measured it.
  virtual Result<bool> claim(ConfigIndex index) = 0;
  // Takes a trial of this process, to be published by exchange() or leave().
  virtual Result<void> put(const Trial& trial) = 0;
  struct News {
    std::vector<Trial> trials;    // that other processes have published since the last call
    std::optional<Ending> ending; // set: another process ended the search early, or (interrupted) the run was cancelled
  };
  virtual Result<News> exchange() = 0;
  // This process ends its part of the search: publishes everything and hands back what it has not measured.
  virtual Result<void> leave(Ending ending, const std::vector<ConfigIndex>& unfinished) = 0;

  enum class Finals { mine, done, stopped };
  // Waits until this process may hold the finals (then all others have left the search; exchange() returns their last
  // trials), or until another has held them. stopped: `stop` was set, or the run was cancelled. Error also: that of the
  // process whose finals found no winner.
  virtual Result<Finals> await_finals(const std::atomic<bool>& stop) = 0;
  // The result of the finals; nullopt: there is none yet.
  virtual Result<std::optional<BestRecord>> winner() = 0;
};

} // namespace warptune
