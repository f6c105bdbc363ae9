// The display of a running `tune`: one line that is redrawn on a terminal; plain lines elsewhere. Rendering is pure;
// the printer decides when to draw.
#pragma once

#include "cli/live_line.h"

#include <chrono>
#include <cstdio>
#include <map>
#include <string>

namespace warptune::cli {

// Returns a line without a line end, never wider than style.width. The least important parts are left out first.
std::string render_live(const std::string& title, const Progress& progress, const ProgressStyle& style);
std::string render_plain(const std::string& title, const Progress& progress); // one line, without a line end

class ProgressPrinter {
 public:
  // `stream`: stdout or stderr. `quiet`: print nothing, but still keep failures for the summary.
  ProgressPrinter(std::string title, std::FILE* stream, bool quiet = false);
  void show(const Progress& progress);
  void finish(); // removes the live line

  // The first failed trial of each status, for the summary.
  const std::map<TrialStatus, Trial>& first_failures() const { return first_failures_; }

 private:
  using Clock = std::chrono::steady_clock;
  void show_live(const Progress& progress);
  void show_plain(const Progress& progress);

  std::string title_;
  std::FILE* stream_;
  int fd_;
  bool live_, quiet_, drawn_ = false;
  std::string phase_;
  std::string held_back_;      // the plain line of a phase without trials; printed when the next phase begins
  std::int64_t next_step_ = 0; // the step at which the next plain line is printed
  Clock::time_point last_drawn_{};
  std::map<TrialStatus, Trial> first_failures_;
};

} // namespace warptune::cli
