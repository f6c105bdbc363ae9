// The tuning session: the table "Follow one candidate" in code. Proposes, compiles, evaluates, records, certifies;
// coordinates worker processes and the database; creates no device context itself.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "core/trial.h"
#include "db/records.h"
#include "jit/template_store.h"
#include "predict/roofline.h"
#include "tuner/budget.h"
#include "tuner/progress.h"
#include "tuner/session_options.h"
#include "worker/trace.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

class CompilePool;
class DeviceWorker;

struct SessionResult {
  RowId session = 0;
  DeviceInfo device;
  std::int64_t space_size = 0, measured = 0, reused = 0, profiled = 0;
  std::map<TrialStatus, std::int64_t> by_status;
  BestRecord best; // empty config when interrupted before any candidate was correct
  RooflinePoint roofline;
  std::optional<PowerReading> power; // of the best, where it was measured
  bool interrupted = false;
  std::optional<Ending> ending;   // of the search; nothing when an earlier run finished it
  bool known = false;             // finished by an earlier run: nothing was done but to look it up
  std::vector<std::string> notes; // sentences for the user: "recording was made from another source", ...
  double wall_s = 0;
};

// What a session works with: processes that outlive it, so that the next one starts warm.
struct SessionTools {
  CompilePool& compilers;
  DeviceWorker& device;
  TraceTrack track; // for what the coordinator itself does
};

// `stop` is set by a signal handler: everything measured is stored, the session is marked interrupted. The device in
// the options names the worker's.
Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const SessionTools& tools, const std::function<void(const Progress&)>& progress,
                                  const std::atomic<bool>& stop);
// With processes of its own.
Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const std::function<void(const Progress&)>& progress, const std::atomic<bool>& stop);

} // namespace warptune
