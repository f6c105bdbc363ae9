#include "tuner/compile_pool.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

constexpr int kStartAttempts = 3;
constexpr int kKillsForgiven = 2;        // of one candidate's worker, by somebody else
constexpr double kSetKernelTimeout = 60; // seconds; parsing a spec, finding NVRTC
// A compiler that ignores its cancellation is killed this much later.
double kill_after(double timeout_s) { return timeout_s > 0 ? timeout_s + std::min(timeout_s, 5.0) : 0; }

} // namespace

CompilePool::CompilePool(const WorkerCommand& command, ProblemSetup setup, DeviceInfo device, int workers,
                         double timeout_s)
    : setup_(std::move(setup)), device_(std::move(device)), timeout_s_(timeout_s) {
  for (int i = 0; i < std::max(workers, 1); ++i) slots_.push_back(std::make_unique<Slot>(command));
}

void CompilePool::add_workers(std::vector<WorkerProcess*>& to_wait_for) const {
  for (const auto& slot : slots_)
    if (slot->process.busy()) to_wait_for.push_back(&slot->process);
}

void CompilePool::begin(Slot& slot) {
  slot.setting_up = !slot.ready;
  if (slot.setting_up)
    slot.process.send(SetKernelTask{setup_}, kSetKernelTimeout);
  else
    slot.process.send(CompileTask{slot.job.config, device_, timeout_s_}, kill_after(timeout_s_));
}

bool CompilePool::set_up(Slot& slot, const CallOutcome& outcome) {
  if (outcome && std::holds_alternative<Done>(*outcome)) {
    slot.ready = true;
    slot.failed_starts = 0;
    return true;
  }
  if (!outcome)
    setup_error_ = {ErrorKind::internal, outcome.error().evidence};
  else if (const auto* error = std::get_if<Error>(&*outcome))
    setup_error_ = *error;
  else
    setup_error_ = {ErrorKind::internal, "the worker gave an unexpected reply"};
  ++slot.failed_starts;
  slot.process.kill();
  return false;
}

void CompilePool::finish(Slot& slot, CallOutcome outcome, std::vector<Compilation>& done) {
  if (slot.setting_up) {
    if (set_up(slot, outcome) || slot.failed_starts < kStartAttempts) begin(slot);
    return;
  }
  Compiled compiled;
  if (!outcome) {
    slot.ready = false; // what comes next starts a fresh process
    // Killed by somebody else: not this candidate's doing, unless it happens again and again.
    if (outcome.error().killed_from_outside && slot.kills < kKillsForgiven) {
      ++slot.kills;
      begin(slot);
      return;
    }
    compiled.status =
        outcome.error().kind == WorkerFailure::Kind::timed_out ? TrialStatus::timed_out : TrialStatus::crashed;
    compiled.evidence = "while compiling: " + outcome.error().evidence;
  } else if (auto* result = std::get_if<Compiled>(&*outcome)) {
    compiled = std::move(*result);
  } else {
    const auto* error = std::get_if<Error>(&*outcome);
    compiled.status = TrialStatus::crashed;
    compiled.evidence =
        "while compiling: " + (error ? error->message : std::string("the worker gave an unexpected reply"));
  }
  slot.has_job = false;
  done.push_back({slot.job.ticket, std::move(compiled)});
}

Result<std::vector<CompilePool::Compilation>> CompilePool::pump() {
  std::vector<Compilation> done;
  bool hopeless = true;
  for (const auto& slot : slots_) {
    if (auto outcome = slot->process.receive()) finish(*slot, std::move(*outcome), done);
    if (slot->failed_starts >= kStartAttempts) {
      if (slot->has_job) queue_.push_front(slot->job); // for a worker that does start
      slot->has_job = false;
      continue;
    }
    hopeless = false;
    if (!slot->has_job && !queue_.empty()) {
      slot->job = std::move(queue_.front());
      queue_.pop_front();
      slot->has_job = true;
      slot->kills = 0;
      begin(*slot);
    }
  }
  if (hopeless)
    return fail(setup_error_.kind, fmt::format("no compile worker can be used, each failed {} times: {}",
                                               kStartAttempts, setup_error_.message));
  return done;
}

} // namespace warptune
