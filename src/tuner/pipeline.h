// Pipeline: the exploring half of a session. It makes the compile workers work ahead, so that the device worker never
// waits. It records each trial as soon as it ends. The strategy observes trials in the order of its proposals, so that
// its next proposals do not depend on which trial ends first. It may use several devices, and may share the search with
// other processes (shared_search.h); the proposals stay the same. Does not depend on the database.
#pragma once

#include "search/strategy.h"
#include "space/space.h"
#include "tuner/budget_meter.h"
#include "tuner/shared_search.h"
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

// The trials so far, of this run and earlier runs. Samples are left out, because the finals take their own.
using TrialBook = std::map<ConfigIndex, Trial>;

struct PipelineOptions {
  std::vector<ConfigIndex> first; // the default and baselines; they run before the strategy's proposals
  MeasureOptions measure;
  bool racing = true;
  double racing_margin = 1.07; // candidates slower than the best by this factor cannot become finalists and are dropped
  std::function<Result<void>(const Trial&)> record; // called once per measured trial, when it ends
  std::function<void(const Trial*)> progress;       // called after each trial; null if reused trials were counted
  int devices = 1;                // devices that work on the search, including those of other processes
  SharedSearch* shared = nullptr; // null: this process measures all candidates
};

class Pipeline {
 public:
  // `book` holds the trials of a resumed session, which are not measured again, and receives the new ones.
  // `devices`: at least one, all of one model.
  Pipeline(const SearchSpace& space, Strategy& strategy, CompileQueue& compilers,
           const std::vector<DeviceWorker*>& devices, BudgetMeter& budget, PipelineOptions options, TrialBook& book);

  // Sends the first candidates to the compilers. Until run(), the caller can use the device for other work.
  void begin();

  // Call after begin(). Runs until the strategy or the budget ends the search. On `stop`, trials already started on a
  // device are finished and recorded. If a device other than the first is lost, the others measure its candidates.
  Result<void> run(const std::atomic<bool>& stop);
  std::int64_t measured() const { return measured_; }
  std::int64_t reused() const { return reused_; }
  std::int64_t elsewhere() const { return elsewhere_; } // trials measured by other processes that share the search
  std::vector<ConfigIndex> claimed() const;             // claimed by this process and not measured
  const std::vector<std::string>& notes() const { return notes_; }
  Ending ending() const; // after run()

 private:
  // A ticket is a candidate's number in the order of the proposals.
  struct Candidate {
    ConfigIndex index;
    bool done = false;
    Compiled compiled;
  };
  struct Lane {
    DeviceWorker* device;
    std::deque<std::int64_t> tickets = {}; // candidates on the device, in the order in which they started
    std::int64_t begun = 0;
  };

  void propose();
  void add(ConfigIndex index);
  void submit(std::int64_t ticket);
  Result<bool> share(); // exchanges trials with other processes
  Result<void> adopt(Trial trial);
  Result<bool> compile(); // these return whether they made progress
  Result<bool> evaluate();
  Result<bool> record();
  bool observe();
  Result<bool> collect(Lane& lane);
  Lane* next_lane(); // null: no device has room
  void begin_on(Lane& lane, std::int64_t ticket);
  bool is_idle() const; // no device has work
  void note_time(const Trial& trial);
  void end(std::int64_t ticket, Trial trial);
  void end_early(Ending why);
  void wait();
  double elapsed_s() const;
  Candidate& at(std::int64_t ticket) { return open_[static_cast<std::size_t>(ticket - observed_)]; }

  const SearchSpace& space_;
  Strategy& strategy_;
  const std::int64_t ahead_;
  CompileQueue& compilers_;
  std::vector<Lane> lanes_; // one per device
  BudgetMeter& budget_;
  PipelineOptions options_;
  TrialBook& book_;

  std::deque<Candidate> open_;       // proposed and not yet observed, in the order of proposal
  std::vector<Trial> ended_;         // not yet recorded
  std::set<ConfigIndex> asked_;      // all indices that were proposed
  std::set<ConfigIndex> told_;       // observed by the strategy
  std::set<std::int64_t> compiled_;  // tickets that are waiting for a device
  std::set<std::int64_t> unclaimed_; // tickets that other processes may have claimed, if the search is shared
  std::map<ConfigIndex, std::int64_t> unclaimed_of_; // the same by configuration
  std::int64_t observed_ = 0, counted_ = 0, measured_ = 0, reused_ = 0, elsewhere_ = 0;
  std::int64_t unfinished_ = 0, submitted_ = 0; // open candidates without a result; those that this process measures
  std::vector<std::string> notes_;
  double best_us_ = 0;
  bool stopping_ = false;
  std::optional<Ending> stopped_by_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

} // namespace warptune
