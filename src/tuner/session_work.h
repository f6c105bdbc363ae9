// SessionWork: the data that the steps of one session share: their inputs, the trials so far, the progress and the
// result. The steps are in session_device.cpp, session_row.cpp, exploration.cpp, certification.cpp and counting.cpp.
// SessionWork makes no decisions and does not determine the order of the steps.
#pragma once

#include "plan/candidate_plans.h"
#include "predict/roofline.h"
#include "tuner/ledger.h"
#include "tuner/pipeline.h"
#include "tuner/progress.h"
#include "tuner/session_result.h"
#include "worker/compile_pool.h"
#include "worker/device_worker.h"
#include "worker/trace.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

struct SessionWork {
  using Clock = std::chrono::steady_clock;

  const Kernel& kernel;
  const Problem& problem;
  const SessionOptions& options;
  const std::function<void(const Progress&)>& progress;
  const std::atomic<bool>& stop;
  DeviceWorker& device;
  const ProblemSetup setup;
  const TraceTrack track; // for the coordinator's own steps
  const std::unique_ptr<CompileQueue> compilers;

  std::optional<Ledger> ledger = {}; // opened when the device is known
  OpenedSession opened = {};         // data of earlier runs
  double spent_s = 0;                // seconds that earlier runs spent on trials
  std::optional<ConfigIndex> default_index = {};
  std::vector<ConfigIndex> baselines = {}; // empty unless the user requested baselines
  CostEstimate cost = {};
  TrialBook book = {};
  CandidatePlans plans = {}; // plans of the finalists
  Progress now = {};
  SessionResult result = {};
  bool asked_for_roofs = false;
  const Clock::time_point start = Clock::now();
  double exploring_since_s = 0;
  std::vector<DeviceWorker*> more_devices = {}; // other devices that work on the search

  std::string text_of(const Config& config) const { return config_text(kernel.spec, config); }
  const Trial* best_trial() const; // the fastest correct trial; null: there is none
  void describe(BestRecord& best, const Config& config, double median_us) const;
  // For an interrupted session: puts the best so far into the result. It is shown but not stored, because it is not
  // proven to be at least as fast as the default.
  void note_best_so_far();

  // These functions show progress. report() passes `now` to the progress callback, with the trial that has just ended,
  // if any.
  void begin_phase(std::string phase);
  void report(const Trial* trial = nullptr);
  void report_done(std::int64_t done);
  void count_by_status();
  SessionResult take_result(); // moves the result out; call it last
  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - start).count(); }

 private:
  void show_best(const Trial& trial);
};

} // namespace warptune
