// CompileScheduler: what a compile pool has to do and for whom, and what a free worker does next. The pool's state in
// memory and nothing else: no process and no thread; whoever uses it from several threads holds a mutex.
#pragma once

#include "worker/compile_queue.h"
#include "worker/compile_times.h"
#include "worker/event_fd.h"
#include "worker/worker_process.h"

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

// Guarded by the pool's mutex, but for what is set at the beginning.
struct CompileQueue::Shared {
  WorkerCommand command;
  ProblemSetup setup;
  double timeout_s = 0;
  CompileUrgency urgency = CompileUrgency::now;

  DeviceInfo device;
  std::deque<CompileJob> queue;
  std::vector<Compilation> done;
  bool all_wanted = false;
  CompileTimes times;
  int prepared = 0; // workers that are still to be set up without a job
  int in_flight = 0, failed_starts = 0;
  Error setup_error;
  bool hopeless = false, gone = false;
  EventFd event;
};

using CompileCustomer = std::shared_ptr<CompileQueue::Shared>;

class CompileScheduler {
 public:
  void add(CompileCustomer customer) { customers_.push_back(std::move(customer)); }
  void remove(const CompileCustomer& customer);

  struct Assignment {
    CompileCustomer customer;
    CompileJob job;
  };
  void wake_customers() const { // who then take() what there is, or why nothing comes
    for (const CompileCustomer& customer : customers_) customer->event.signal();
  }
  // For a worker that knows the kernel of `known` (null: none). Until end() nobody else gets the same work.
  std::optional<Assignment> take(const CompileCustomer& known);
  void end(const CompileCustomer& customer, const CompileJob& job); // its worker is done with it
  // Whose kernel a worker without a job gets ready for; null: nobody's.
  CompileCustomer take_preparation();

 private:
  // What is probably the same cubin for customers whose problems differ in their shapes alone: compiled by one of them,
  // it is in the cache for the others.
  using Work = std::pair<std::string, Config>; // source hash, configuration
  static Work work_of(const CompileCustomer& customer, const CompileJob& job) {
    return {customer->setup.kernel.source_hash, job.config};
  }
  std::deque<CompileJob>::iterator next_job(const CompileCustomer& customer) const;
  CompileCustomer choose(const CompileCustomer& known) const;

  std::vector<CompileCustomer> customers_; // by age
  std::set<Work> under_way_;               // of all workers
};

} // namespace warptune
