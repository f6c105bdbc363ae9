#include "tuner/compile_ahead.h"

#include "search/strategy.h"
#include "tuner/pipeline.h"

#include <utility>

namespace warptune {

CompileAhead::CompileAhead(CompilePool& pool) : pool_(pool), thread_([this] { work(); }) {}

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
    wishes_.push_back({task, &job, std::move(command), device});
  }
  changed_.notify_one();
}

void CompileAhead::forget(std::size_t task) {
  const std::lock_guard lock(mutex_);
  std::erase_if(wishes_, [&](const Wish& wish) { return wish.task == task; });
  queues_.erase(task);
}

void CompileAhead::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || !wishes_.empty(); });
    if (ending_) return;
    const Wish wish = std::move(wishes_.front());
    wishes_.pop_front();
    const SessionOptions& options = wish.job->options;
    const std::shared_ptr<CompileQueue> queue =
        pool_.open(wish.command, {*wish.job->kernel, wish.job->problem, options.seed}, options.compile_timeout_s,
                   CompilePool::Urgency::background);
    queues_[wish.task] = queue;
    lock.unlock(); // a large space takes a while to build
    submit(wish, *queue);
    lock.lock();
  }
}

// What the session will propose before it has observed anything: its first window.
void CompileAhead::submit(const Wish& wish, CompileQueue& queue) const {
  auto space = SearchSpace::build(wish.job->kernel->spec, wish.job->problem, wish.device);
  if (!space) return;
  auto strategy = make_strategy(wish.job->options.strategy, *space, wish.job->options.seed);
  if (!strategy) return;
  queue.set_device(wish.device);
  const BudgetMeter budget(wish.job->options.budget, space->size(), 0);
  const auto count = std::min(kCandidatesAhead, budget.limit());
  std::int64_t ticket = 0;
  if (const Config first = default_config(wish.job->kernel->spec); space->find(first)) queue.submit({ticket++, first});
  for (const ConfigIndex index : (*strategy)->propose(static_cast<std::size_t>(count)))
    queue.submit({ticket++, space->config(index)});
}

} // namespace warptune
