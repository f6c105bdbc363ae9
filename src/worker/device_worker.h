// DeviceWorker: the one process that holds the device, kept alive. It prepares the problem in this process and
// evaluates candidates in order. The next candidate is queued in the process, so that the device need not wait for the
// coordinator. After a crash, a hang or a broken context it starts a fresh process and prepares the problem again. The
// cause becomes the trial's status and diagnostic; it is an error only if the device cannot be prepared again.
#pragma once

#include "worker/trace.h"
#include "worker/worker_process.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

class DeviceWorker {
 public:
  explicit DeviceWorker(const WorkerCommand& command, TraceTrack track = {});
  DeviceWorker(const WorkerCommand& command, ProblemSetup setup, double evaluate_timeout_s);

  // Switches to another problem; keeps the process and so the device's context. Drops work already begun.
  void assign(ProblemSetup setup, double evaluate_timeout_s);

  // From the next request, uses a fresh process with inputs of another seed. Precondition: all begun work is collected.
  void renew();

  // These calls block. Call them in this order: describe the device (first sets the kernel, if one was assigned), then
  // measure its roofs.
  Result<DeviceInfo> describe();
  Result<Roofs> measure_roofs();
  const std::vector<std::string>& notes() const { return notes_; }

  // Does not block: begins to prepare the problem (as begin() does); collect() continues the preparation.
  void prepare();
  bool has_room() const { return orders_.size() < kOrders; }
  void begin(const Config& config, const Compiled& compiled, const MeasureOptions& options); // precondition: has_room()
  Result<std::optional<Trial>> collect();                                                    // in the order begun
  WorkerProcess* process() { return &process_; }

  // Blocks; for the finals and single runs. Repeats the request if another program or the system killed the process. A
  // failure says how the process died; the next call starts a new process. `timeout_s` 0: the limit of an evaluation.
  // Error: the device cannot be prepared.
  Result<CallOutcome> ask(const Request& request, double timeout_s = 0);

 private:
  CallOutcome call_with_kernel(const Request& request, double timeout_s);
  enum class State { down, setting, opening, ready };
  void advance();                                     // sends the next step
  Result<void> take_preparation(CallOutcome outcome); // handles its answer
  Result<void> prepare_and_wait();
  void trace_evaluation(const Trial& trial) const;
  void process_is_gone();

  WorkerProcess process_;
  TraceTrack track_;
  ProblemSetup setup_;
  double evaluate_timeout_s_ = 0;
  State state_ = State::down;
  bool preparing_ = false, was_ready_ = false; // preparing_: whether the next state was requested
  int failed_openings_ = 0, kills_ = 0;        // kills_: kills from outside during the oldest order
  static constexpr std::size_t kOrders = 2;    // one running, one waiting
  struct Order {
    Config config;
    Compiled compiled;
    MeasureOptions options;
  };
  std::deque<Order> orders_; // not answered yet
  std::size_t sent_ = 0;     // how many of orders_ the process already has
  std::vector<std::string> notes_;
  TraceTrack::Clock::time_point begun_at_{}; // when the process began its current request
};

} // namespace warptune
