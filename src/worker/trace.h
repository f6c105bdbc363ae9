// Trace: a timeline of all processes of a run, written as a file for Perfetto (ui.perfetto.dev) or chrome://tracing.
// The format is JSON in the Trace Event Format, with one track per worker. Each event is written when it happens, so
// even a killed run leaves a timeline; both viewers accept a file that is cut off.
#pragma once

#include "core/result.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune {

class Trace;

// One track of the timeline. All copies of an object write to the same track. A track without a trace does nothing.
// Thread-safe.
class TraceTrack {
 public:
  using Clock = std::chrono::steady_clock;
  using Arguments = std::vector<std::pair<const char*, std::string>>;

  TraceTrack() = default;
  bool active() const {
    return trace_ != nullptr;
  } // whether a trace is written; if not, callers need not build the arguments
  void span(std::string_view name, Clock::time_point begin, Clock::time_point end, const Arguments& args = {}) const;

 private:
  friend class Trace;
  TraceTrack(std::shared_ptr<Trace> trace, int group, int line)
      : trace_(std::move(trace)), group_(group), line_(line) {}
  std::shared_ptr<Trace> trace_;
  int group_ = 0, line_ = 0;
};

// A span of the timeline that lasts from its construction to its destruction.
class TraceSpan {
 public:
  TraceSpan(TraceTrack track, std::string name) : track_(std::move(track)), name_(std::move(name)) {}
  ~TraceSpan() { track_.span(name_, begin_, TraceTrack::Clock::now()); }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  TraceTrack track_;
  std::string name_;
  TraceTrack::Clock::time_point begin_ = TraceTrack::Clock::now();
};

class Trace : public std::enable_shared_from_this<Trace> {
 public:
  // Errors: the file cannot be created (kind_of_write_error); it is not a trace, or a pipe that nothing reads
  // (bad_input).
  static Result<std::shared_ptr<Trace>> open(const std::filesystem::path& file);
  ~Trace();

  // Returns a track. Tracks of one group are shown together. Examples: ("compile", "worker 3"), ("cuda:0", "device").
  TraceTrack track(const std::string& group, const std::string& line);
  // Completes the file. Error (kind_of_write_error): the trace is incomplete, for example because the disk is full.
  Result<void> close();

 private:
  friend class TraceTrack;
  struct State;
  explicit Trace(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Returns an inactive track if there is no trace.
inline TraceTrack track_of(const std::shared_ptr<Trace>& trace, const std::string& group, const std::string& line) {
  return trace ? trace->track(group, line) : TraceTrack();
}

} // namespace warptune
