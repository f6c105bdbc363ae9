// DeviceWorker: the one process that holds the device, kept alive. Prepares the problem in it, evaluates candidates in
// order, the next one waiting with the process so that the device need not wait for us, and after a death, a hang or a
// broken context starts a fresh process and prepares the problem again. What befell the process becomes the trial's
// status and evidence; only a device that cannot be prepared any more is an error.
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

  // The problem from here on; the process, and with it the device's context, stays. What was begun is forgotten.
  void assign(ProblemSetup setup, double evaluate_timeout_s);

  // A fresh process from the next request on, with inputs of another seed. Precondition: all that was begun is
  // collected.
  void renew();

  // Blocking, in this order: what the device is (the kernel, if one was assigned, is set before), its roofs.
  Result<DeviceInfo> describe();
  Result<Roofs> measure_roofs();
  const std::vector<std::string>& notes() const { return notes_; }

  // Non-blocking: begins to prepare the problem (begin() does, too); collect() drives it.
  void prepare();
  bool has_room() const { return orders_.size() < kOrders; }
  void begin(const Config& config, const Compiled& compiled, const MeasureOptions& options); // precondition: has_room()
  Result<std::optional<Trial>> collect();                                                    // in the order begun
  WorkerProcess* process() { return &process_; }

  // Blocking, for the finals and single runs; asked again if somebody else killed the process. A failure says how the
  // process died; it is fresh at the next call. `timeout_s` 0: an evaluation's limit. Error: the device cannot be
  // prepared.
  Result<CallOutcome> ask(const Request& request, double timeout_s = 0);

 private:
  CallOutcome call_with_kernel(const Request& request, double timeout_s);
  enum class State { down, setting, opening, ready };
  void advance();                                     // sends the next step
  Result<void> take_preparation(CallOutcome outcome); // its answer
  Result<void> prepare_and_wait();
  void trace_evaluation(const Trial& trial) const;
  void process_is_gone();

  WorkerProcess process_;
  TraceTrack track_;
  ProblemSetup setup_;
  double evaluate_timeout_s_ = 0;
  State state_ = State::down;
  bool preparing_ = false, was_ready_ = false; // preparing_: it was asked for the next state
  int failed_openings_ = 0, kills_ = 0;        // kills_: of the oldest order
  static constexpr std::size_t kOrders = 2;    // one under way, one waiting
  struct Order {
    Config config;
    Compiled compiled;
    MeasureOptions options;
  };
  std::deque<Order> orders_; // not answered yet
  std::size_t sent_ = 0;     // of them, to the process that runs
  std::vector<std::string> notes_;
  TraceTrack::Clock::time_point begun_at_{}; // the process turned to the request that it works on
};

} // namespace warptune
