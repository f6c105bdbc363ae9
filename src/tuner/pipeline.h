// Pipeline: the exploring half of a session. It makes the compile workers work ahead, so that the device worker never
// waits. It records each trial as soon as it ends. The strategy observes trials in the order of its proposals, so that
// its next proposals do not depend on which trial ends first. Does not depend on the database.
#pragma once

#include "search/strategy.h"
#include "space/space.h"
#include "tuner/budget_meter.h"
#include "worker/compile_pool.h"
#include "worker/device_worker.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace warptune {

// Returns the trials so far, of this run and earlier runs. Samples are left out, because finals take their own.
using TrialBook = std::map<ConfigIndex, Trial>;

struct PipelineOptions {
  std::vector<ConfigIndex> first; // the default and baselines; they run before the strategy's proposals
  MeasureOptions measure;
  bool racing = true;
  double racing_margin = 1.07; // candidates slower than the best by this factor cannot become finalists and are dropped
  std::function<Result<void>(const Trial&)> record; // called once per measured trial, when it ends
  std::function<void(const Trial*)> progress;       // called after each trial; null if reused trials were counted
};

class Pipeline {
 public:
  // `book` holds the trials of a resumed session, which are not measured again, and receives the new ones.
  Pipeline(const SearchSpace& space, Strategy& strategy, CompileQueue& compilers, DeviceWorker& device,
           BudgetMeter& budget, PipelineOptions options, TrialBook& book);

  // Sends the first candidates to the compilers. Until run(), the caller can use the device for other work.
  void begin();

  // Call after begin(). Runs until the strategy or the budget ends the search. On `stop`, the trials that the device
  // has begun are finished and recorded.
  Result<void> run(const std::atomic<bool>& stop);
  std::int64_t measured() const { return measured_; }
  std::int64_t reused() const { return reused_; }
  Ending ending() const; // after run()

 private:
  struct Candidate {
    ConfigIndex index;
    bool done = false;
    Compiled compiled;
  };

  void propose();
  void add(ConfigIndex index);
  Result<bool> compile(); // these return whether they made progress
  Result<bool> evaluate();
  Result<bool> record();
  bool observe();
  void end(std::int64_t ticket, Trial trial);
  void end_early(Ending why);
  void wait();
  double elapsed_s() const;
  Candidate& at(std::int64_t ticket) { return open_[static_cast<std::size_t>(ticket - observed_)]; }

  const SearchSpace& space_;
  Strategy& strategy_;
  CompileQueue& compilers_;
  DeviceWorker& device_;
  BudgetMeter& budget_;
  PipelineOptions options_;
  TrialBook& book_;

  std::deque<Candidate> open_;         // proposed and not yet observed, in the order of proposal
  std::vector<Trial> ended_;           // not yet recorded
  std::set<ConfigIndex> asked_;        // all indices that have their own ticket
  std::set<ConfigIndex> told_;         // observed by the strategy
  std::set<std::int64_t> compiled_;    // tickets that are waiting for the device
  std::deque<std::int64_t> on_device_; // tickets on the device, in the order in which they began
  std::int64_t observed_ = 0, counted_ = 0, measured_ = 0, reused_ = 0, unfinished_ = 0;
  double best_us_ = 0;
  bool stopping_ = false;
  std::optional<Ending> stopped_by_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

} // namespace warptune
