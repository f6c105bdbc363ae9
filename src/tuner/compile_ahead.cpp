#include "tuner/compile_ahead.h"

#include "core/thread_guard.h"
#include "db/reader.h"
#include "search/strategy.h"
#include "tuner/budget_meter.h"
#include "tuner/built_candidates.h"
#include "tuner/gather_knowledge.h"
#include "tuner/ledger.h"

#include <utility>

namespace warptune {
namespace {

constexpr std::int64_t kBlindlyHere = 128; // candidates of a strategy that does not learn

} // namespace

CompileAhead::CompileAhead(CompilePool& pool, std::filesystem::path database, const std::atomic<bool>& stop)
    : pool_(pool), database_(std::move(database)), stop_(stop),
      // A failure only costs time, because each session compiles what is missing.
      thread_([this] { run_guarded([this] { work(); }); }) {}

CompileAhead::~CompileAhead() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void CompileAhead::want(std::size_t task, const SweepJob& job, WorkerCommand command, const DeviceInfo& device) {
  {
    const std::lock_guard lock(mutex_);
    prefetches_.push_back({task, &job, std::move(command), device});
  }
  changed_.notify_one();
}

void CompileAhead::forget(std::size_t task) {
  const std::lock_guard lock(mutex_);
  std::erase_if(prefetches_, [&](const Prefetch& prefetch) { return prefetch.task == task; });
  queues_.erase(task);
  if (at_work_ == task) at_work_.reset();
}

void CompileAhead::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || !prefetches_.empty(); });
    if (ending_) return;
    const Prefetch prefetch = std::move(prefetches_.front());
    prefetches_.pop_front();
    const SessionOptions& options = prefetch.job->options;
    at_work_ = prefetch.task;
    lock.unlock(); // a command that prints a version may take a while
    const auto builders = allowed_builders(*prefetch.job->kernel, options, &stop_);
    lock.lock();
    if (!builders || !at_work_) continue; // the session reports why; or it has begun
    const std::shared_ptr<CompileQueue> queue =
        pool_.open(prefetch.command, {*prefetch.job->kernel, prefetch.job->problem, options.seed, *builders},
                   options.compile_timeout_s, CompileUrgency::background);
    queues_[prefetch.task] = queue;
    lock.unlock(); // a large space takes a while to build
    submit(prefetch, *queue);
    lock.lock();
  }
}

// Submits the first window of the session: the candidates that it proposes before it has observed anything. Results of
// jobs that still run may change its knowledge; then some of these candidates are compiled in vain.
void CompileAhead::submit(const Prefetch& prefetch, CompileQueue& queue) const {
  const Kernel& kernel = *prefetch.job->kernel;
  const SessionOptions& options = prefetch.job->options;
  std::vector<std::string> ignored; // the session reports them
  auto space = session_space(kernel, prefetch.job->problem, prefetch.device, options, ignored);
  const auto chosen = parse_strategy(options.strategy);
  if (!space || !chosen) return;
  DeviceInfo device = prefetch.device;
  if (const auto reader = Reader::open(database_); reader && !device.roofs.measured)
    if (const auto roofs = reader->roofs(device.uuid); roofs && *roofs) device.roofs = **roofs;
  GatheredKnowledge gathered;
  if (!options.budget.all() || options.stop_rules.any())
    gathered = gather_knowledge({kernel, prefetch.job->problem, device, *space, options.knowledge,
                                 make_identity(kernel, prefetch.job->problem, device, options), 0, database_});
  auto strategy = make_strategy(chosen->name, *space, options.seed, chosen->options, gathered.knowledge);
  if (!strategy) return;
  queue.set_device(prefetch.device);
  const BudgetMeter budget(options.budget, {}, space->size(), 0);
  const auto count = std::min((*strategy)->learns() ? kLearningAhead : kBlindlyHere, budget.limit());
  std::int64_t ticket = 0;
  if (const Config first = default_config(kernel.spec, prefetch.job->problem, device); space->find(first))
    queue.submit({ticket++, first});
  for (const ConfigIndex index : (*strategy)->propose(static_cast<std::size_t>(count)))
    queue.submit({ticket++, space->config(index)});
}

} // namespace warptune
