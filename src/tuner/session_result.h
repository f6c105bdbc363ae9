// SessionResult: the result of a tuning session, for the caller to show.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "core/trial.h"
#include "db/records.h"
#include "predict/roofline.h"
#include "tuner/budget.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

struct SessionResult {
  RowId session = 0;
  DeviceInfo device;
  std::int64_t space_size = 0, measured = 0, reused = 0, profiled = 0;
  std::map<TrialStatus, std::int64_t> by_status;
  BestRecord best; // config is empty if the session was interrupted before any candidate was correct
  RooflinePoint roofline;
  std::optional<PowerReading> power; // power of the best, if measured
  bool interrupted = false;
  std::optional<Ending> ending; // why the search ended; nullopt: an earlier run had finished it
  bool known = false; // whether an earlier run had finished the session, so that this run only read its result
  std::vector<std::string> notes;  // sentences for the user: "the recording was made from other sources ...", ...
  std::optional<Error> lost_trace; // why the trace is incomplete, such as a full disk; the results are stored
  double wall_s = 0;
  std::int64_t elsewhere = 0; // number of trials measured by other processes of a shared search
};

} // namespace warptune
