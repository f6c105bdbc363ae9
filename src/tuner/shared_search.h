// SharedSearch: one search that several processes share. All processes make the same proposals, because their
// strategies have the same seed, the same knowledge and the same results, observed in the order of the proposals. The
// first process to claim a candidate measures it, and the others read its result. If a process makes different
// proposals, this costs time but does no harm. One process runs the finals. src/cluster implements this interface.
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

// Called from the session's thread. Every function may return the error (database) that the run folder cannot be used.
class SharedSearch {
 public:
  virtual ~SharedSearch() = default;

  virtual int devices() const = 0; // number of devices that work on the search, in all processes

  // Returns the device for which all strategies compute their expectations: the device of the first process that calls
  // this function. Error (bad_input): `own` is of another model.
  virtual Result<DeviceInfo> agree(const DeviceInfo& own) = 0;
  // Call this once, before the functions below. `limit`: maximum number of evaluations of all processes together.
  virtual void begin(bool learns, std::int64_t limit) = 0;

  // Whether this process measures the configuration; false: another process does. Reads no folder, so it may be called
  // often. The answer may change if the process that measures the configuration dies. Error (internal): too many
  // processes in a row died while they measured this configuration.
  virtual Result<bool> claim(ConfigIndex index) = 0;
  // Queues a trial of this process. exchange() or leave() then publishes the trial.
  virtual Result<void> put(const Trial& trial) = 0;
  struct News {
    std::vector<Trial> trials; // trials that other processes published since the last call
    std::optional<Ending>
        ending; // set if another process ended the search early, or the run was cancelled (interrupted)
  };
  virtual Result<News> exchange() = 0;
  // Ends this process's part of the search: publishes everything, and makes unmeasured candidates available to others.
  virtual Result<void> leave(Ending ending, const std::vector<ConfigIndex>& unfinished) = 0;

  enum class Finals { mine, done, stopped };
  // Waits until this process may run the finals (mine) or another process has run them (done). mine: all other
  // processes have left the search, and exchange() returns their last trials. stopped: `stop` was set, or the run was
  // cancelled. If another process's finals found no winner, returns the error of that process.
  virtual Result<Finals> await_finals(const std::atomic<bool>& stop) = 0;
  // Returns the result of the finals; nullopt: there is none yet.
  virtual Result<std::optional<BestRecord>> winner() = 0;
};

} // namespace warptune
