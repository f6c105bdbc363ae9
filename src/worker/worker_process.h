// WorkerProcess: starts one worker process (this program, as `EXE __worker ...`) and sends it requests. The worker
// answers requests in order, each within a time limit. If the process fails, the caller gets a WorkerFailure and never
// hangs. start() may be called again. Maps each failure to a trial status, but is independent of sessions.
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

inline constexpr int kWorkerFd = 3; // file descriptor of the worker's end of the socket pair

// Why a call has no reply. `evidence` is a sentence, followed by the last lines of the worker's output, if any.
struct WorkerFailure {
  enum class Kind { crashed, timed_out, not_started } kind = Kind::crashed;
  std::string evidence;
  bool killed_from_outside = false; // a SIGKILL from elsewhere: from a user, or because memory ran out
};

// Returns the status of the trial whose request failed.
TrialStatus status_of(const WorkerFailure& failure);

using CallOutcome = tl::expected<Reply, WorkerFailure>;

class WorkerProcess {
 public:
  explicit WorkerProcess(WorkerCommand command);
  ~WorkerProcess(); // kills the process without waiting for its end, because destroying a context takes a while
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;

  Result<void> start(); // if a process is running, kills it first
  // From the next start on, the process sees only the device with this UUID, under the name cuda:0. The command's
  // `device` is then ignored.
  void see_only(std::string uuid) { only_device_ = std::move(uuid); }
  void kill();
  bool running() const { return pid_ > 0; }
  bool busy() const { return !timeouts_.empty(); }
  pid_t pid() const { return pid_; }

  // Sends a request; starts the process first if it is not running. If that fails, or if the request is too long, the
  // process does not run, and receive() reports the reason. While the worker is busy, the request waits in the socket,
  // and its time limit begins only when the worker begins the request.
  void send(const Request& request, double timeout_s);
  // Returns the reply to the oldest request; nullopt while the worker is busy. Never blocks. If the worker failed,
  // returns the failure; the worker then no longer runs, and the other requests are lost.
  std::optional<CallOutcome> receive();
  CallOutcome call(const Request& request, double timeout_s);

 private:
  using Clock = std::chrono::steady_clock;
  bool write_pending();
  void read_output();
  CallOutcome fail_with(WorkerFailure::Kind kind, std::string what);
  WorkerFailure bury(); // call after the process has ended; returns how it ended
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
  Clock::time_point deadline_{}; // deadline of the oldest request
  Clock::time_point looked_at_{};
};

// Waits for the first of these: a busy worker has output or a reply, a descriptor is readable, a deadline passes, a
// signal arrives, or `timeout_ms` is over.
void wait_for_workers(std::span<WorkerProcess* const> workers, int timeout_ms, std::span<const int> descriptors = {});

std::string exit_sentence(int wait_status); // "was killed by signal 11 (Segmentation fault)"; from a status of waitpid

} // namespace warptune
