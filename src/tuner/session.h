// The tuning session performs the steps in the table "Follow one candidate" (docs/design/development.md): propose,
// compile, evaluate, record, certify. It coordinates worker processes and the database, and has no device context
// itself.
#pragma once

#include "core/result.h"
#include "jit/template_store.h"
#include "tuner/progress.h"
#include "tuner/session_options.h"
#include "tuner/session_result.h"
#include "worker/trace.h"

#include <atomic>
#include <functional>
#include <vector>

namespace warptune {

class CompilePool;
class DeviceWorker;

// The processes that a session uses. They outlive the session, so that the next session need not start them again.
struct SessionTools {
  CompilePool& compilers;
  DeviceWorker& device;
  TraceTrack track;                             // for the coordinator's own steps
  std::vector<DeviceWorker*> more_devices = {}; // for options.more_devices
};

// A signal handler may set `stop`; the session then stores what was measured and is marked as interrupted.
// options.device must name the device of tools.device.
Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const SessionTools& tools, const std::function<void(const Progress&)>& progress,
                                  const std::atomic<bool>& stop);
// Runs a session with its own worker processes, which end with the session.
Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const std::function<void(const Progress&)>& progress, const std::atomic<bool>& stop);

} // namespace warptune
