// CompileScheduler: a compile pool's clients with their jobs, and the rule that chooses the next job. Has only state in
// memory, without processes or threads. Threads that share it must hold a common mutex.
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

// Guarded by the pool's mutex, except for the members that never change once the pool has started.
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
  int prepared = 0; // number of workers that should still load the kernel before they get a job
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
  void wake_customers() const { // clients then call take(), which returns results or the error
    for (const CompileCustomer& customer : customers_) customer->event.signal();
  }
  // Chooses work for a worker that has already loaded the kernel of `known` (null: of no client). Until end() is
  // called, no other worker gets the same work.
  std::optional<Assignment> take(const CompileCustomer& known);
  void end(const CompileCustomer& customer, const CompileJob& job); // call when a worker has finished the job
  // Returns a client whose kernel an idle worker should load now; null: none.
  CompileCustomer take_preparation();

 private:
  // Work with equal keys probably gives the same cubin. Clients whose problems differ only in shape often need the same
  // cubins: one client compiles a cubin, and the others find it in the cache.
  using Work = std::pair<std::string, Config>; // source hash, configuration
  static Work work_of(const CompileCustomer& customer, const CompileJob& job) {
    return {customer->setup.kernel.source_hash, job.config};
  }
  // Free: no worker is compiling the same thing now. End of the queue: none.
  bool is_free(const CompileCustomer& customer, const CompileJob& job) const;
  std::deque<CompileJob>::iterator first_free(const CompileCustomer& customer) const;
  std::deque<CompileJob>::iterator next_job(const CompileCustomer& customer) const;
  CompileCustomer choose(const CompileCustomer& known) const;

  std::vector<CompileCustomer> customers_; // oldest first
  std::set<Work> under_way_;               // work that some worker is doing now
};

} // namespace warptune
