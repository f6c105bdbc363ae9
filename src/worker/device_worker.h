// DeviceWorker: keeps alive the one process that holds the device. It prepares a problem in that process, and evaluates
// candidates there in order. The next candidate is already queued in the process, so the device does not wait for the
// coordinator. After a crash, a hang or a broken context, DeviceWorker starts a new process and prepares the problem
// again. The trial's status and diagnostic then state the cause. An error is returned only if the device cannot be
// prepared again.
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

  // Switches to another problem in the same process, which keeps the device's context. Drops evaluations already begun.
  void assign(ProblemSetup setup, double evaluate_timeout_s);

  // Before the next request, starts a new process whose inputs have another seed. Precondition: all evaluations that
  // were begun have been collected.
  void renew();

  // describe() and measure_roofs() block. In a new process, they first set the assigned kernel, if there is one.
  Result<DeviceInfo> describe();
  Result<Roofs> measure_roofs();
  const std::vector<std::string>& notes() const { return notes_; }

  // Begins to prepare the problem without blocking; begin() does this too. collect() continues the preparation.
  void prepare();
  bool has_room() const { return orders_.size() < kOrders; }
  void begin(const Config& config, const Compiled& compiled, const MeasureOptions& options); // precondition: has_room()
  Result<std::optional<Trial>> collect(); // returns trials in the order of begin()
  WorkerProcess* process() { return &process_; }

  // Sends a request and blocks. Used for the finals and for single runs. If another program or the system killed the
  // process, the request is repeated. For any other death, the outcome says how the process died, and the next call
  // starts a new process. `timeout_s` 0: the time limit of an evaluation. Error: the device cannot be prepared.
  Result<CallOutcome> ask(const Request& request, double timeout_s = 0);

 private:
  CallOutcome call_with_kernel(const Request& request, double timeout_s);
  enum class State { down, setting, opening, ready };
  void advance();                                     // sends the next request of the preparation
  Result<void> take_preparation(CallOutcome outcome); // handles the reply to a request of the preparation
  Result<void> prepare_and_wait();
  void trace_evaluation(const Trial& trial) const;
  void process_is_gone();

  WorkerProcess process_;
  TraceTrack track_;
  ProblemSetup setup_;
  double evaluate_timeout_s_ = 0;
  State state_ = State::down;
  bool preparing_ = false, was_ready_ = false; // preparing_: a request of the preparation has no reply yet
  int failed_openings_ = 0,
      kills_ = 0; // kills_: how often the process was killed from outside during the oldest order
  static constexpr std::size_t kOrders = 2; // one running, one waiting
  struct Order {
    Config config;
    Compiled compiled;
    MeasureOptions options;
  };
  std::deque<Order> orders_; // orders without a reply
  std::size_t sent_ = 0;     // number of orders_ that the process has received
  std::vector<std::string> notes_;
  TraceTrack::Clock::time_point begun_at_{}; // when the process began to work on its current request
};

} // namespace warptune
