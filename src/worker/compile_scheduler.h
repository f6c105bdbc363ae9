// CompileScheduler: the jobs of a compile pool and their clients, and the choice of the next job. It is only state in
// memory, without processes or threads; several threads must share a mutex to use it.
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

// Guarded by the pool's mutex, except for members that are set at the start.
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
  int prepared = 0; // number of workers that must still be set up without a job
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
  void wake_customers() const { // clients then take() the results, or the error
    for (const CompileCustomer& customer : customers_) customer->event.signal();
  }
  // Returns work for a worker that has loaded the kernel of `known` (null: none). No other worker gets the same work
  // until end().
  std::optional<Assignment> take(const CompileCustomer& known);
  void end(const CompileCustomer& customer, const CompileJob& job); // call it when a worker has finished the job
  // Returns the client for whose kernel an idle worker should prepare; null: none.
  CompileCustomer take_preparation();

 private:
  // Returns a key that is probably equal for work with the same cubin, from clients whose problems differ only in
  // shape: one of them compiles it, and the others find it in the cache.
  using Work = std::pair<std::string, Config>; // source hash, configuration
  static Work work_of(const CompileCustomer& customer, const CompileJob& job) {
    return {customer->setup.kernel.source_hash, job.config};
  }
  std::deque<CompileJob>::iterator next_job(const CompileCustomer& customer) const;
  CompileCustomer choose(const CompileCustomer& known) const;

  std::vector<CompileCustomer> customers_; // oldest first
  std::set<Work> under_way_;               // work in progress on any worker
};

} // namespace warptune
