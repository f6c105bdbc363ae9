// SessionWork: what the steps of one session share (session_device.cpp, session_row.cpp, exploration.cpp,
// certification.cpp, counting.cpp): what they were given, the trials so far, what is shown meanwhile and what comes of
// it. Decides nothing and has no order of steps.
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
  const TraceTrack track; // for what the coordinator itself does
  const std::unique_ptr<CompileQueue> compilers;

  std::optional<Ledger> ledger = {}; // open once the device is known
  OpenedSession opened = {};         // what earlier runs left of it
  double spent_s = 0;                // by them
  std::optional<ConfigIndex> default_index = {};
  std::vector<ConfigIndex> baselines = {}; // that were asked for
  CostEstimate cost = {};
  TrialBook book = {};
  CandidatePlans plans = {}; // of finalists
  Progress now = {};
  SessionResult result = {};
  bool asked_for_roofs = false;
  const Clock::time_point start = Clock::now();
  double exploring_since_s = 0;

  std::string text_of(const Config& config) const { return config_text(kernel.spec, config); }
  const Trial* best_trial() const; // by time; null: none is correct
  void describe(BestRecord& best, const Config& config, double median_us) const;
  // Interrupted: shown, but not stored, since nothing proves yet that it is no slower than the default.
  void note_best_so_far();

  // What is shown. report() hands `now` to whoever watches; with a trial that has just ended.
  void begin_phase(std::string phase);
  void report(const Trial* trial = nullptr);
  void report_done(std::int64_t done);
  void count_by_status();
  SessionResult take_result(); // at the very end; this holds none afterwards
  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - start).count(); }

 private:
  void show_best(const Trial& trial);
};

} // namespace warptune
