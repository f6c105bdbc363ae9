// The tuning session: the table "Follow one candidate" in code. Proposes, compiles, evaluates, records, certifies;
// coordinates worker processes and the database; creates no device context itself.
#pragma once

#include "core/result.h"
#include "jit/template_store.h"
#include "tuner/progress.h"
#include "tuner/session_options.h"
#include "tuner/session_result.h"
#include "worker/trace.h"

#include <atomic>
#include <functional>

namespace warptune {

class CompilePool;
class DeviceWorker;

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
