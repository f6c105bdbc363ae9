// WorkerProcess: the coordinator's end of one worker: this program started again as `EXE __worker ...`. It answers
// requests in order, each with a deadline. A failure of the process is returned as a WorkerFailure and never hangs the
// caller. Call start() again to restart. Maps each failure to a trial status, but does not depend on sessions.
#pragma once

#include "core/result.h"
#include "worker/protocol.h"
#include "worker/worker_start.h"

#include <chrono>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <utility>

namespace warptune {

inline constexpr int kWorkerFd = 3; // the worker's end of the socket pair

// A call without a reply. `evidence` is a sentence, followed by the worker's last lines of output, if any.
struct WorkerFailure {
  enum class Kind { crashed, timed_out, not_started } kind = Kind::crashed;
  std::string evidence;
  bool killed_from_outside = false; // SIGKILL that this process did not send: from a user, or because memory ran out
};

// Returns the trial status of the configuration of the failed call.
TrialStatus status_of(const WorkerFailure& failure);

using CallOutcome = tl::expected<Reply, WorkerFailure>;

class WorkerProcess {
 public:
  explicit WorkerProcess(WorkerCommand command);
  ~WorkerProcess(); // kills the process and does not wait, because destroying a context takes a while
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;

  Result<void> start(); // kills a running process first
  // From the next start on, the process sees only the device with this UUID, as cuda:0; `device` of the command is
  // ignored.
  void see_only(std::string uuid) { only_device_ = std::move(uuid); }
  void kill();
  bool running() const { return pid_ > 0; }
  bool busy() const { return !timeouts_.empty(); }
  pid_t pid() const { return pid_; }

  // Starts the process if it is not running. receive() reports a failure. While the worker is busy, the request waits
  // in its socket; the time limit starts when the worker begins it.
  void send(const Request& request, double timeout_s);
  // Returns the reply to the oldest request, or the worker's failure; the worker then no longer runs, and waiting
  // requests are lost. nullopt while the worker is busy. Never blocks.
  std::optional<CallOutcome> receive();
  CallOutcome call(const Request& request, double timeout_s);

 private:
  using Clock = std::chrono::steady_clock;
  bool write_pending();
  void read_output();
  CallOutcome fail_with(WorkerFailure::Kind kind, std::string what);
  WorkerFailure bury(); // call it when the process has ended; returns how it ended
  std::string last_lines() const;
  void close_all();
  void set_deadline();
  bool is_overdue();
  friend void wait_for_workers(std::span<WorkerProcess* const>, int, std::span<const int>);

  WorkerCommand command_;
  std::string only_device_; // UUID; empty: the process sees all devices
  pid_t pid_ = -1;
  int socket_ = -1, output_ = -1; // output_: the read end of the worker's stdout and stderr
  std::deque<double> timeouts_;   // time limits of the unanswered requests
  std::string pending_, output_tail_, start_error_;
  FrameReader replies_;
  Clock::time_point deadline_{}; // the oldest request's deadline
  Clock::time_point looked_at_{};
};

// Returns when a busy worker has output or a reply, a descriptor is readable, a deadline passes, a signal arrives, or
// the time limit is reached.
void wait_for_workers(std::span<WorkerProcess* const> workers, int timeout_ms, std::span<const int> descriptors = {});

std::string exit_sentence(int wait_status); // "was killed by signal 11 (Segmentation fault)"

} // namespace warptune
