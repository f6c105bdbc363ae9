// The display of a running `sweep`. On a terminal, it is one line for the sweep and one per device, redrawn below the
// list of jobs that have ended. Elsewhere it is one line per job, when the job ends. Rendering is pure; the printer
// decides when to draw.
#pragma once

#include "cli/live_line.h"
#include "tuner/sweep.h"

#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warptune::cli {

std::string job_text(const SweepJob& job); // "softmax rows=64,cols=128;bf16;log=0"

// These functions return text without a line end. The first two return one line, never wider than style.width, because
// it is redrawn.
std::string render_overall(const SweepProgress& progress, std::int64_t failed_jobs, double trials_per_s,
                           const ProgressStyle& style);
std::string render_device(const SweepJob& job, const SweepProgress::Running& running, const ProgressStyle& style);
// "[12/64] softmax rows=... cuda:0: 136.00 us, 93.2 % of roofline, 1.58x default (330 configurations, 3.1 s)". If the
// line is wider than `width` (0: no limit), leaves out the parenthesis, then the share of the roofline. Text that is
// still too wide, such as the reason for a failure, is wrapped and never cut.
std::string render_ended(const std::vector<SweepJob>& jobs, const SweepProgress& progress, int width = 0);

class SweepPrinter {
 public:
  // `stream`: stdout or stderr. `jobs` must outlive the printer. `quiet`: print nothing.
  SweepPrinter(const std::vector<SweepJob>& jobs, std::FILE* stream, bool quiet = false);
  void show(const SweepProgress& progress);
  void finish(); // removes the live lines

 private:
  using Clock = std::chrono::steady_clock;
  void count(const SweepProgress& progress);
  std::string live_lines(const SweepProgress& progress, const ProgressStyle& style);

  const std::vector<SweepJob>& jobs_;
  std::FILE* stream_;
  int fd_;
  bool live_, quiet_;
  std::size_t drawn_ = 0; // number of lines on the screen
  std::int64_t failed_ = 0;
  std::map<std::pair<std::size_t, std::string>, std::int64_t>
      measured_; // trials measured in this run, keyed by job and device
  Clock::time_point last_drawn_{};
};

} // namespace warptune::cli
