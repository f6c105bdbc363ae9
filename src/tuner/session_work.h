// SessionWork: the data that the steps of one session share (session_device.cpp, session_row.cpp, exploration.cpp,
// certification.cpp, counting.cpp): their inputs, the trials so far, the progress shown and the result. It makes no
// decisions and does not order the steps.
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
  const TraceTrack track; // trace of the coordinator's own steps
  const std::unique_ptr<CompileQueue> compilers;

  std::optional<Ledger> ledger = {}; // opened as soon as the device is known
  OpenedSession opened = {};         // the data of earlier runs
  double spent_s = 0;                // time that earlier runs spent on trials
  std::optional<ConfigIndex> default_index = {};
  std::vector<ConfigIndex> baselines = {}; // empty unless requested
  CostEstimate cost = {};
  TrialBook book = {};
  CandidatePlans plans = {}; // plans of finalists
  Progress now = {};
  SessionResult result = {};
  bool asked_for_roofs = false;
  const Clock::time_point start = Clock::now();
  double exploring_since_s = 0;
  std::vector<DeviceWorker*> more_devices = {}; // further devices for the exploration

  std::string text_of(const Config& config) const { return config_text(kernel.spec, config); }
  const Trial* best_trial() const; // the fastest correct trial; null: none is correct
  void describe(BestRecord& best, const Config& config, double median_us) const;
  // For an interrupted session: puts the best so far into the result. It is shown but not stored, because it is not yet
  // proven to be at least as fast as the default.
  void note_best_so_far();

  // The progress to show. report() passes `now` to the progress callback, with the trial that has just ended, if any.
  void begin_phase(std::string phase);
  void report(const Trial* trial = nullptr);
  void report_done(std::int64_t done);
  void count_by_status();
  SessionResult take_result(); // call last; moves the result out
  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - start).count(); }

 private:
  void show_best(const Trial& trial);
};

} // namespace warptune
