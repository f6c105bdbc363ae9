#include "worker/compile_scheduler.h"

#include <algorithm>

namespace warptune {
namespace {

constexpr double kSlowMs = 300; // sort jobs by expected time only if the mean compile is longer

} // namespace

void CompileScheduler::remove(const CompileCustomer& customer) {
  customers_.erase(std::find(customers_.begin(), customers_.end(), customer));
}

bool CompileScheduler::is_free(const CompileCustomer& customer, const CompileJob& job) const {
  return !under_way_.contains(work_of(customer, job));
}

std::deque<CompileJob>::iterator CompileScheduler::first_free(const CompileCustomer& customer) const {
  return std::ranges::find_if(customer->queue, [&](const CompileJob& job) { return is_free(customer, job); });
}

// The first free job; the longest one if all are wanted and compiles are slow.
std::deque<CompileJob>::iterator CompileScheduler::next_job(const CompileCustomer& customer) const {
  auto& queue = customer->queue;
  auto chosen = first_free(customer);
  if (!customer->all_wanted || customer->times.mean_ms() < kSlowMs) return chosen;
  double longest = 0;
  for (auto job = chosen; job != queue.end(); ++job) {
    const double ms = customer->times.expected_ms(job->config);
    if (ms <= longest || !is_free(customer, *job)) continue;
    longest = ms;
    chosen = job;
  }
  return chosen;
}

// The most urgent customer; among equals the one with fewest workers, then the one whose kernel this worker has set.
CompileCustomer CompileScheduler::choose(const CompileCustomer& known) const {
  CompileCustomer best;
  for (const CompileCustomer& c : customers_) {
    if (c->hopeless || first_free(c) == c->queue.end()) continue;
    if (!best || c->urgency < best->urgency) {
      best = c;
      continue;
    }
    if (c->urgency != best->urgency || c->urgency == CompileUrgency::background) continue;
    if (c->in_flight < best->in_flight || (c->in_flight == best->in_flight && c == known)) best = c;
  }
  return best;
}

std::optional<CompileScheduler::Assignment> CompileScheduler::take(const CompileCustomer& known) {
  CompileCustomer customer = choose(known);
  if (!customer) return std::nullopt;
  const auto next = next_job(customer);
  CompileJob job = std::move(*next);
  customer->queue.erase(next);
  ++customer->in_flight;
  under_way_.insert(work_of(customer, job));
  return Assignment{std::move(customer), std::move(job)};
}

void CompileScheduler::end(const CompileCustomer& customer, const CompileJob& job) {
  under_way_.erase(work_of(customer, job));
  --customer->in_flight;
}

CompileCustomer CompileScheduler::take_preparation() {
  const auto unprepared =
      std::find_if(customers_.begin(), customers_.end(), [](const CompileCustomer& c) { return c->prepared > 0; });
  if (unprepared == customers_.end()) return nullptr;
  --(*unprepared)->prepared;
  return *unprepared;
}

} // namespace warptune
