// The tuning session. It follows the table "Follow one candidate" (docs/design/development.md): propose, compile,
// evaluate, record, certify. It coordinates worker processes and the database, and creates no device context itself.
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

// The processes that a session uses. They outlive the session, so that the next session need not start them.
struct SessionTools {
  CompilePool& compilers;
  DeviceWorker& device;
  TraceTrack track;                             // trace of the coordinator's own steps
  std::vector<DeviceWorker*> more_devices = {}; // workers of options.more_devices
};

// A signal handler sets `stop`; the session then stores all measurements and is marked interrupted. options.device must
// name the worker's device.
Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const SessionTools& tools, const std::function<void(const Progress&)>& progress,
                                  const std::atomic<bool>& stop);
// Like the overload above, with worker processes of its own.
Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const std::function<void(const Progress&)>& progress, const std::atomic<bool>& stop);

} // namespace warptune
