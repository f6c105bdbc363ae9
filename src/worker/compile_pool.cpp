#include "worker/compile_pool.h"

#include "core/thread_guard.h"
#include "worker/compile_scheduler.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace warptune {
namespace {

using Clock = TraceTrack::Clock;

constexpr int kStartAttempts = 3;        // attempts of each worker to set a kernel
constexpr int kKillsForgiven = 2;        // kills of one candidate's worker by another process
constexpr double kSetKernelTimeout = 60; // seconds; parsing a spec, finding NVRTC
constexpr int kMaxCompilers = 16;        // per device: more do not increase the throughput
constexpr int kNiceness = 10;
constexpr int kIdleMs = 1000;
// A compiler that ignores its cancellation is killed after this time.
double kill_after(double timeout_s) { return timeout_s > 0 ? timeout_s + std::min(timeout_s, 5.0) : 0; }

} // namespace

std::string compiling_device(const std::string& device) {
  return device.empty() || device == "auto" || device.starts_with("cuda:") ? "cuda" : device;
}

int compile_worker_count(int asked, int devices) {
  if (asked > 0) return asked;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores - devices, 1, kMaxCompilers * std::max(devices, 1));
}

struct CompilePool::Impl {
  struct Slot {
    std::optional<WorkerProcess> process;
    WorkerCommand command;    // the command with which the process was started
    CompileCustomer customer; // whose kernel the process has set, or is setting
    bool ready = false, setting_up = false;
    std::optional<CompileJob> job;
    int kills = 0;
    Clock::time_point begun;
    TraceTrack track;
    bool busy() const { return process && process->busy(); }
  };

  std::mutex mutex; // protects the scheduler, its customers and ending
  CompileScheduler scheduler;
  std::vector<Slot> slots; // used only by the thread
  EventFd event;
  bool ending = false;
  std::optional<Error> failure; // ended the thread: nothing is compiled any more
  std::thread thread;

  void work();
  void work_guarded();
  void begin(Slot& slot);
  void assign(Slot& slot);
  void give_up_job(Slot& slot);
  void finish(Slot& slot, CallOutcome outcome);
  void finish_setup(Slot& slot, const CallOutcome& outcome);
  void deliver(Slot& slot, Compiled compiled);
};

// Sends the slot's next request; first the kernel, if the process does not have it.
void CompilePool::Impl::begin(Slot& slot) {
  CompileQueue::Shared& customer = *slot.customer;
  if (!slot.process || slot.command.device != customer.command.device ||
      slot.command.executable != customer.command.executable ||
      slot.command.cache_directory != customer.command.cache_directory) {
    slot.command = customer.command;
    slot.command.niceness = kNiceness;
    slot.process.reset();
    slot.process.emplace(slot.command);
    slot.ready = false;
  }
  slot.setting_up = !slot.ready;
  slot.begun = Clock::now();
  if (slot.setting_up)
    slot.process->send(SetKernelTask{customer.setup}, kSetKernelTimeout);
  else
    slot.process->send(CompileTask{slot.job->config, customer.device, customer.timeout_s},
                       kill_after(customer.timeout_s));
}

void CompilePool::Impl::assign(Slot& slot) {
  if (auto next = scheduler.take(slot.customer)) {
    if (slot.customer != next->customer) slot.ready = false;
    slot.customer = std::move(next->customer);
    slot.job = std::move(next->job);
    slot.kills = 0;
    begin(slot);
    return;
  }
  CompileCustomer unprepared = scheduler.take_preparation();
  if (!unprepared || (slot.ready && slot.customer == unprepared)) return;
  slot.customer = std::move(unprepared);
  slot.ready = false;
  begin(slot);
}

void CompilePool::Impl::finish_setup(Slot& slot, const CallOutcome& outcome) {
  CompileQueue::Shared& customer = *slot.customer;
  slot.track.span("set kernel", slot.begun, Clock::now(), {{"kernel", customer.setup.kernel.spec.name}});
  if (outcome && std::holds_alternative<Done>(*outcome)) {
    slot.ready = true;
    customer.failed_starts = 0;
  } else {
    if (!outcome)
      customer.setup_error = {ErrorKind::internal, outcome.error().evidence};
    else if (const auto* error = std::get_if<Error>(&*outcome))
      customer.setup_error = *error;
    else
      customer.setup_error = {ErrorKind::internal, "the worker gave an unexpected reply"};
    slot.process->kill();
    if (++customer.failed_starts >= kStartAttempts * static_cast<int>(slots.size())) {
      customer.hopeless = true;
      customer.event.signal();
    }
  }
  if (!slot.job) return;
  if (slot.ready && !customer.gone) {
    begin(slot);
    return;
  }
  // The next free worker takes it, possibly this one after a restart.
  if (!customer.gone) customer.queue.push_front(*slot.job);
  give_up_job(slot);
}

void CompilePool::Impl::give_up_job(Slot& slot) {
  scheduler.end(slot.customer, *slot.job);
  slot.job.reset();
}

void CompilePool::Impl::deliver(Slot& slot, Compiled compiled) {
  CompileQueue::Shared& customer = *slot.customer;
  if (slot.track.active())
    slot.track.span("compile", slot.begun, Clock::now(),
                    {{"kernel", customer.setup.kernel.spec.name},
                     {"configuration", config_text(customer.setup.kernel.spec, slot.job->config)},
                     {"status", std::string(status_name(compiled.status))}});
  customer.times.add(slot.job->config, compiled.compile_ms);
  customer.done.push_back({slot.job->ticket, std::move(compiled)});
  give_up_job(slot);
  customer.event.signal();
}

void CompilePool::Impl::finish(Slot& slot, CallOutcome outcome) {
  if (slot.setting_up) {
    slot.setting_up = false;
    finish_setup(slot, outcome);
    return;
  }
  Compiled compiled;
  if (!outcome) {
    slot.ready = false; // the next request starts a new process
    // If another process killed the worker, the candidate is not at fault, unless it happens repeatedly.
    if (outcome.error().killed_from_outside && slot.kills < kKillsForgiven) {
      ++slot.kills;
      begin(slot);
      return;
    }
    compiled.status = status_of(outcome.error());
    compiled.evidence = "while compiling: " + outcome.error().evidence;
  } else if (auto* result = std::get_if<Compiled>(&*outcome)) {
    compiled = std::move(*result);
  } else {
    const auto* error = std::get_if<Error>(&*outcome);
    compiled.status = TrialStatus::crashed;
    compiled.evidence =
        "while compiling: " + (error ? error->message : std::string("the worker gave an unexpected reply"));
  }
  deliver(slot, std::move(compiled));
}

void CompilePool::Impl::work() {
  std::vector<WorkerProcess*> busy;
  const std::array<int, 1> wake{event.descriptor()};
  while (true) {
    {
      const std::lock_guard lock(mutex);
      if (ending) return;
      for (Slot& slot : slots)
        if (slot.process)
          if (auto outcome = slot.process->receive()) finish(slot, std::move(*outcome));
      for (Slot& slot : slots)
        if (!slot.busy()) assign(slot);
    }
    busy.clear();
    for (Slot& slot : slots)
      if (slot.busy()) busy.push_back(&*slot.process);
    wait_for_workers(busy, kIdleMs, wake);
    event.clear();
  }
}

void CompilePool::Impl::work_guarded() {
  auto error = run_guarded([this] { work(); });
  if (!error) return;
  const std::lock_guard lock(mutex);
  failure = std::move(*error);
  scheduler.wake_customers();
}

CompilePool::CompilePool(int workers, const std::shared_ptr<Trace>& trace) : impl_(std::make_unique<Impl>()) {
  impl_->slots.resize(static_cast<std::size_t>(std::max(workers, 1)));
  for (std::size_t i = 0; i < impl_->slots.size(); ++i)
    impl_->slots[i].track = track_of(trace, "compile", fmt::format("worker {}", i));
  impl_->thread = std::thread([this] { impl_->work_guarded(); });
}

CompilePool::~CompilePool() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->ending = true;
  }
  impl_->event.signal();
  impl_->thread.join();
}

std::unique_ptr<CompileQueue> CompilePool::open(WorkerCommand command, ProblemSetup setup, double timeout_s,
                                                CompileUrgency urgency) {
  auto customer = std::make_shared<CompileQueue::Shared>();
  customer->command = std::move(command);
  customer->setup = std::move(setup);
  customer->timeout_s = timeout_s;
  customer->urgency = urgency;
  const std::lock_guard lock(impl_->mutex);
  impl_->scheduler.add(customer);
  return std::unique_ptr<CompileQueue>(new CompileQueue(*this, std::move(customer)));
}

CompileQueue::CompileQueue(CompilePool& pool, std::shared_ptr<Shared> shared)
    : pool_(pool), shared_(std::move(shared)) {}

CompileQueue::~CompileQueue() {
  const std::lock_guard lock(pool_.impl_->mutex);
  shared_->gone = true;
  shared_->queue.clear();
  pool_.impl_->scheduler.remove(shared_);
}

void CompileQueue::prepare() {
  {
    const std::lock_guard lock(pool_.impl_->mutex);
    shared_->prepared = static_cast<int>(pool_.impl_->slots.size());
  }
  pool_.impl_->event.signal();
}

void CompileQueue::set_device(const DeviceInfo& device) {
  const std::lock_guard lock(pool_.impl_->mutex);
  shared_->device = device;
}

void CompileQueue::set_all_wanted(bool all_wanted) {
  const std::lock_guard lock(pool_.impl_->mutex);
  shared_->all_wanted = all_wanted;
}

void CompileQueue::submit(CompileJob job) {
  {
    const std::lock_guard lock(pool_.impl_->mutex);
    shared_->queue.push_back(std::move(job));
  }
  pool_.impl_->event.signal();
}

Result<std::vector<Compilation>> CompileQueue::take() {
  shared_->event.clear();
  const std::lock_guard lock(pool_.impl_->mutex);
  if (pool_.impl_->failure && shared_->done.empty()) return fail(*pool_.impl_->failure);
  if (shared_->hopeless && shared_->done.empty())
    return fail(shared_->setup_error.kind,
                fmt::format("no compile worker can be used, because each failed {} times: {}", kStartAttempts,
                            shared_->setup_error.message));
  return std::exchange(shared_->done, {});
}

void CompileQueue::drop_queued() {
  const std::lock_guard lock(pool_.impl_->mutex);
  shared_->queue.clear();
}

int CompileQueue::descriptor() const { return shared_->event.descriptor(); }

} // namespace warptune
