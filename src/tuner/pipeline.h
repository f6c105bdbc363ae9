// Pipeline: the exploring half of a session. Keeps the compile workers ahead of the device worker and the device worker
// busy; hands each trial to be recorded when it ends, and tells the strategy in the order of its proposals, so that a
// strategy with feedback proposes the same candidates whatever finishes first. Knows no database.
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

// What is known of the configurations so far, measured now or before. Samples are left out: finals take their own.
using TrialBook = std::map<ConfigIndex, Trial>;

struct PipelineOptions {
  std::vector<ConfigIndex> first; // the default configuration and baselines, before what the strategy proposes
  MeasureOptions measure;
  bool racing = true;
  double racing_margin = 1.07; // what is slower than the best by this is no finalist: measuring it precisely is wasted
  std::function<Result<void>(const Trial&)> record; // once per measured trial, as it ends
  std::function<void(const Trial*)> progress;       // after each trial; null when reused ones were counted
};

class Pipeline {
 public:
  // `book` holds the trials of a session that is resumed (they are not measured again) and receives the new ones.
  Pipeline(const SearchSpace& space, Strategy& strategy, CompileQueue& compilers, DeviceWorker& device,
           BudgetMeter& budget, PipelineOptions options, TrialBook& book);

  // The first candidates go to the compilers; whoever has other things to do with the device meanwhile does them now.
  void begin();

  // After begin(), until the strategy or the budget ends. On `stop` what the device works on is finished and recorded.
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
  Result<bool> compile(); // these return whether anything happened
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
  std::set<ConfigIndex> asked_;        // every index that got a ticket of its own
  std::set<ConfigIndex> told_;         // observed by the strategy
  std::set<std::int64_t> compiled_;    // tickets that wait for the device
  std::deque<std::int64_t> on_device_; // in the order begun
  std::int64_t observed_ = 0, counted_ = 0, measured_ = 0, reused_ = 0, unfinished_ = 0;
  double best_us_ = 0;
  bool stopping_ = false;
  std::optional<Ending> stopped_by_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

} // namespace warptune
