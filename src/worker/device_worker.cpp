#include "worker/device_worker.h"

#include "core/random.h"
#include "spec/config.h"
#include "worker/trial_of.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

constexpr int kOpenings = 3;           // new processes in a row that may fail to prepare the problem
constexpr int kKillsOfARequest = 2;    // kills of one request's worker by another process
constexpr double kDeviceTimeout = 120; // seconds; initialising the first GPU of a machine can be slow
constexpr double kRoofsTimeout = 120;
constexpr double kContextTimeout = 60; // seconds; a new process creates the context when it opens the problem
// The time limit of opening, which also computes the reference, divided by the limit of an evaluation.
constexpr double kOpenTimeouts = 4;

Error reply_error(const CallOutcome& outcome) {
  if (!outcome) // if no process could be started, the device is not at fault
    return {outcome.error().kind == WorkerFailure::Kind::not_started ? ErrorKind::internal : ErrorKind::no_device,
            outcome.error().evidence};
  if (const auto* error = std::get_if<Error>(&*outcome)) return *error;
  return {ErrorKind::internal, "the worker gave an unexpected reply"};
}

} // namespace

DeviceWorker::DeviceWorker(const WorkerCommand& command, TraceTrack track)
    : process_(command), track_(std::move(track)) {}

DeviceWorker::DeviceWorker(const WorkerCommand& command, ProblemSetup setup, double evaluate_timeout_s)
    : DeviceWorker(command) {
  assign(std::move(setup), evaluate_timeout_s);
}

void DeviceWorker::assign(ProblemSetup setup, double evaluate_timeout_s) {
  // The process may still work on the previous problem, whose result is not needed.
  if (process_.busy()) process_.kill();
  orders_.clear();
  setup_ = std::move(setup);
  evaluate_timeout_s_ = evaluate_timeout_s;
  state_ = State::down;
  sent_ = 0;
  preparing_ = was_ready_ = false;
  failed_openings_ = kills_ = 0;
  notes_.clear();
}

void DeviceWorker::renew() {
  process_.kill();
  process_is_gone();
  preparing_ = false;
  setup_.seed = mix(setup_.seed);
}

// Sets the kernel first, if there is one, because a recorded device depends on it. Repeats the call if another process
// killed the worker.
CallOutcome DeviceWorker::call_with_kernel(const Request& request, double timeout_s) {
  for (int attempt = 0;; ++attempt) {
    CallOutcome outcome = Reply(Done{});
    if (state_ == State::down && !setup_.kernel.spec.name.empty())
      outcome = process_.call(SetKernelTask{setup_}, kDeviceTimeout);
    if (outcome && std::holds_alternative<Done>(*outcome)) {
      if (state_ == State::down) notes_ = std::get<Done>(*outcome).notes;
      state_ = State::setting; // opening is the next step
      const auto begun = TraceTrack::Clock::now();
      outcome = process_.call(request, timeout_s);
      track_.span(request_name(request), begun, TraceTrack::Clock::now());
    }
    if (outcome) return outcome;
    state_ = State::down;
    if (!outcome.error().killed_from_outside || attempt == kKillsOfARequest) return outcome;
  }
}

// A MIG instance has a UUID of another form, which DeviceInfo does not contain.
static bool can_be_named(const DeviceInfo& device) {
  return device.backend == "cuda" && !device.uuid.empty() && device.name.find(" MIG ") == std::string::npos;
}

Result<DeviceInfo> DeviceWorker::describe() {
  auto reply = call_with_kernel(DeviceQuery{}, kDeviceTimeout);
  if (!reply || !std::holds_alternative<DeviceInfo>(*reply)) return fail(reply_error(reply));
  auto device = std::get<DeviceInfo>(std::move(*reply));
  if (can_be_named(device)) process_.see_only(device.uuid);
  return device;
}

Result<Roofs> DeviceWorker::measure_roofs() {
  auto reply = call_with_kernel(RoofsQuery{}, kRoofsTimeout);
  if (!reply || !std::holds_alternative<Roofs>(*reply)) return fail(reply_error(reply));
  return std::get<Roofs>(*reply);
}

void DeviceWorker::prepare() {
  if (!preparing_ && state_ != State::ready) advance();
}

void DeviceWorker::advance() {
  if (!process_.busy()) begun_at_ = TraceTrack::Clock::now();
  switch (state_) {
  case State::down:
    preparing_ = true;
    process_.send(SetKernelTask{setup_}, kDeviceTimeout);
    break;
  case State::setting:
    preparing_ = true;
    state_ = State::opening;
    process_.send(OpenTask{setup_}, kContextTimeout + kOpenTimeouts * evaluate_timeout_s_);
    break;
  case State::opening:
    break;
  case State::ready:
    for (; sent_ < orders_.size(); ++sent_) {
      const Order& order = orders_[sent_];
      process_.send(EvaluateTask{order.config, order.compiled, order.options}, evaluate_timeout_s_);
    }
    break;
  }
}

// Requests that were sent will not be answered.
void DeviceWorker::process_is_gone() {
  state_ = State::down;
  sent_ = 0;
}

Result<void> DeviceWorker::take_preparation(CallOutcome outcome) {
  preparing_ = false;
  if (outcome && std::holds_alternative<Done>(*outcome)) {
    for (std::string& note : std::get<Done>(*outcome).notes)
      if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(std::move(note));
    if (state_ == State::opening) {
      state_ = State::ready;
      was_ready_ = true;
      failed_openings_ = 0;
    } else {
      state_ = State::setting;
    }
    return {};
  }
  state_ = State::down;
  process_.kill();
  const Error error = reply_error(outcome);
  const std::string what = fmt::format("cannot prepare {} on the device", setup_.kernel.spec.name);
  // An error at the first attempt is permanent (out of memory, no such recording). Later, the memory of a dead process
  // may still be in use, and a crash may have been accidental.
  if (outcome && !was_ready_) return fail(error.kind, fmt::format("{}: {}", what, error.message));
  if (++failed_openings_ >= kOpenings)
    return fail(error.kind, fmt::format("{}: {} new worker processes failed one after another; the last error: {}",
                                        what, kOpenings, error.message));
  return {};
}

void DeviceWorker::begin(const Config& config, const Compiled& compiled, const MeasureOptions& options) {
  orders_.push_back({config, compiled, options});
  if (!preparing_) advance();
}

// Draws verification and measurement inside the evaluation, one after the other, with the durations that the worker
// reported.
void DeviceWorker::trace_evaluation(const Trial& trial) const {
  if (!track_.active()) return;
  const auto now = TraceTrack::Clock::now();
  const auto after = [](TraceTrack::Clock::time_point at, double ms) {
    return at + std::chrono::duration_cast<TraceTrack::Clock::duration>(std::chrono::duration<double, std::milli>(ms));
  };
  track_.span("evaluate", begun_at_, now,
              {{"kernel", setup_.kernel.spec.name},
               {"configuration", config_text(setup_.kernel.spec, trial.config)},
               {"status", std::string(status_name(trial.status))}});
  const auto verified = after(begun_at_, trial.verify_ms);
  if (trial.verify_ms > 0) track_.span("verify", begun_at_, std::min(verified, now));
  if (trial.measure_ms > 0)
    track_.span("measure", std::min(verified, now), std::min(after(verified, trial.measure_ms), now));
}

Result<std::optional<Trial>> DeviceWorker::collect() {
  auto outcome = process_.receive();
  if (!outcome) return std::optional<Trial>{};
  if (state_ != State::ready) {
    track_.span(state_ == State::opening ? "open problem" : "set kernel", begun_at_, TraceTrack::Clock::now());
    WT_CHECK(take_preparation(std::move(*outcome)));
    if (state_ != State::ready || !orders_.empty()) advance();
    return std::optional<Trial>{};
  }
  const auto failed_trial = [this](const WorkerFailure& failure) {
    const Order& order = orders_.front();
    return trial_of(order.config, order.compiled, status_of(failure), "while running: " + failure.evidence);
  };
  std::optional<Trial> trial;
  if (!*outcome) {
    process_is_gone();
    // If another process killed the worker, the candidate is not at fault, unless it happens repeatedly.
    if (outcome->error().killed_from_outside && kills_ < kKillsOfARequest) {
      ++kills_;
      advance();
      return std::optional<Trial>{};
    }
    trial = failed_trial(outcome->error());
  } else if (auto* evaluation = std::get_if<Evaluation>(&**outcome)) {
    trial = std::move(evaluation->trial);
    put_compiled(*trial, orders_.front().config, orders_.front().compiled);
    --sent_;
    if (evaluation->fatal) {
      process_.kill();
      process_is_gone();
    }
  } else {
    trial = failed_trial({WorkerFailure::Kind::crashed, reply_error(*outcome).message, false});
    --sent_;
  }
  orders_.pop_front();
  kills_ = 0;
  trace_evaluation(*trial);
  begun_at_ = TraceTrack::Clock::now();
  if (state_ == State::down) advance(); // prepare the fresh process while the coordinator records
  return trial;
}

Result<void> DeviceWorker::prepare_and_wait() {
  while (state_ != State::ready) {
    prepare();
    WorkerProcess* process = &process_;
    auto outcome = process_.receive();
    if (!outcome) {
      wait_for_workers({&process, 1}, 1000);
      continue;
    }
    WT_CHECK(take_preparation(std::move(*outcome)));
  }
  return {};
}

// An error or a wrong result outside an evaluation does not tell whether the context is intact, and a broken one would
// fail every later request. A new process costs a second, a misjudged finalist the whole session. A repeated
// verification is exempt: it reports a broken context itself, and the process must keep the state that launches of the
// other finalists left.
static bool may_have_broken_the_context(const Request& request, const Reply& reply) {
  if (std::holds_alternative<Error>(reply)) return true;
  if (std::holds_alternative<VerifyTask>(request)) return false;
  const auto* verdict = std::get_if<Verdict>(&reply);
  return verdict && !verdict->correct;
}

Result<CallOutcome> DeviceWorker::ask(const Request& request, double timeout_s) {
  for (int attempt = 0;; ++attempt) {
    WT_CHECK(prepare_and_wait());
    const auto begun = TraceTrack::Clock::now();
    auto outcome = process_.call(request, timeout_s > 0 ? timeout_s : evaluate_timeout_s_);
    track_.span(request_name(request), begun, TraceTrack::Clock::now());
    if (outcome) {
      if (may_have_broken_the_context(request, *outcome)) {
        process_.kill();
        state_ = State::down;
      }
      return outcome;
    }
    state_ = State::down;
    if (!outcome.error().killed_from_outside || attempt == kKillsOfARequest) return outcome;
  }
}

} // namespace warptune
