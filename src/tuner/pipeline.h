// Pipeline: carries out a session's search. The compile workers work ahead, so that the device worker never waits. Each
// trial is recorded as soon as it ends. The strategy observes trials in the order of its proposals, so its next
// proposals do not depend on which trial ends first. Several devices, and several processes (shared_search.h), can work
// on the same search; the proposals stay the same. Independent of the database.
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

// The trials so far, from this run and earlier runs. Here trials have no samples, because the finals take new samples.
using TrialBook = std::map<ConfigIndex, Trial>;

struct PipelineOptions {
  std::vector<ConfigIndex> first; // the default and the baselines, which run before the strategy's proposals
  MeasureOptions measure;
  // Early stopping of slow candidates.
  bool racing = true;
  double racing_margin =
      1.07; // candidates slower than the best by this factor are dropped, because they cannot become finalists
  std::function<Result<void>(const Trial&)> record; // called when a measured trial ends
  std::function<void(const Trial*)> progress;       // after each trial; null: trials of other processes or runs
  int devices = 1;                // number of devices that work on this search, also in other processes
  SharedSearch* shared = nullptr; // null: this process measures all candidates
};

class Pipeline {
 public:
  // `book`: on entry, the trials of a resumed session, which are not measured again; receives the new trials.
  // `devices`: at least one; all must be of one model.
  Pipeline(const SearchSpace& space, Strategy& strategy, CompileQueue& compilers,
           const std::vector<DeviceWorker*>& devices, BudgetMeter& budget, PipelineOptions options, TrialBook& book);

  // Sends the first candidates to the compilers. Until run(), the caller may use the device for other work.
  void begin();

  // Call after begin(). Runs until the strategy, the budget or a stop rule ends the search. When `stop` is set, trials
  // that run on a device are still finished and recorded. If a device other than the first is lost, the remaining
  // devices measure its candidates.
  Result<void> run(const std::atomic<bool>& stop);
  std::int64_t measured() const { return measured_; }
  std::int64_t reused() const { return reused_; }
  std::int64_t elsewhere() const { return elsewhere_; } // trials that other processes of a shared search measured
  std::vector<ConfigIndex> claimed() const;             // configurations that this process claimed but did not measure
  const std::vector<std::string>& notes() const { return notes_; }
  Ending ending() const; // call after run()

 private:
  // A ticket is a candidate's number in the order of proposals.
  struct Candidate {
    ConfigIndex index;
    bool done = false;
    Compiled compiled;
  };
  struct Lane {
    DeviceWorker* device;
    std::deque<std::int64_t> tickets = {}; // candidates on this device, in the order in which they began
    std::int64_t begun = 0;
  };

  void propose();
  void add(ConfigIndex index);
  void submit(std::int64_t ticket);
  Result<bool> share(); // exchanges trials with other processes
  Result<void> adopt(Trial trial);
  Result<bool> compile(); // compile(), evaluate(), record() and observe() return whether they made progress
  Result<bool> evaluate();
  Result<bool> record();
  bool observe();
  Result<bool> collect(Lane& lane);
  Lane* next_lane(); // null: no device has room for another candidate
  void begin_on(Lane& lane, std::int64_t ticket);
  bool is_idle() const; // whether no device has work
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

  std::deque<Candidate> open_;                       // proposed but not yet observed, in the order of proposals
  std::vector<Trial> ended_;                         // ended but not yet recorded
  std::set<ConfigIndex> asked_;                      // everything that was proposed
  std::set<ConfigIndex> told_;                       // everything that the strategy has observed
  std::set<std::int64_t> compiled_;                  // tickets of compiled candidates that wait for a device
  std::set<std::int64_t> unclaimed_;                 // tickets of a shared search that this process has not claimed
  std::map<ConfigIndex, std::int64_t> unclaimed_of_; // configuration -> ticket, for the tickets in unclaimed_
  std::int64_t observed_ = 0, counted_ = 0, measured_ = 0, reused_ = 0, elsewhere_ = 0;
  // unfinished_: number of open candidates without a result. submitted_: number of them that this process measures.
  std::int64_t unfinished_ = 0, submitted_ = 0;
  std::vector<std::string> notes_;
  double best_us_ = 0;
  bool stopping_ = false;
  std::optional<Ending> stopped_by_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

} // namespace warptune
