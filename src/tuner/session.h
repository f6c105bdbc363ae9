// The tuning session: the table "Follow one candidate" in code. Proposes, compiles, evaluates, records, certifies;
// coordinates worker processes and the database; creates no device context itself.
#pragma once

#include "core/device.h"
#include "core/objective.h"
#include "core/result.h"
#include "core/roofline.h"
#include "core/trial.h"
#include "db/records.h"
#include "jit/template_store.h"
#include "profiler/timer.h"
#include "search/knowledge.h"
#include "tuner/trace.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

class CompilePool;
class DeviceWorker;

// How much of a space is looked at, at most; whichever comes first. "200" evaluations, "30s" seconds, "10%" of the
// space, or several of them: "200,30s". Empty: all.
struct Budget {
  double evaluations = 0, seconds = 0, percent = 0; // 0: no such limit
  std::string text;                                 // as typed, without blanks; empty: all
  bool all() const { return text.empty(); }
};
Result<Budget> parse_budget(const std::string& text);

// Of which trials counters are read, once all are timed.
enum class ProfileScope { none, best, all }; // best: the winner and the default; all: every correct one
std::optional<ProfileScope> parse_profile_scope(std::string_view name);

// When a search is good enough to end before its budget does.
struct StopRules {
  double target_us = 0;    // a configuration that takes no longer than this
  double target_share = 0; // the same as a share of the roofline
  double stop_below = 0;   // by how much the best time may still be expected to fall, as a share of it
  bool any() const { return target_us > 0 || target_share > 0 || stop_below > 0; }
  bool operator==(const StopRules&) const = default;
};
// "120us", "1.5ms", "2s" or "95%" (of the roofline); "1%". Each sets its part of `rules`.
Result<void> parse_target(const std::string& text, StopRules& rules);
Result<void> parse_stop_below(const std::string& text, StopRules& rules);
// Budget and rules as they stand in the database: "200; target 120us; stop below 1%". Empty: all.
std::string ending_text(const Budget& budget, const StopRules& rules);

// What ended a search. `interrupted`: by the user.
enum class Ending { all_tried, evaluations, seconds, target, little_left, strategy_done, interrupted };
std::string_view ending_name(Ending ending); // "little_left", as JSON has it

struct SessionOptions {
  std::string device = "auto";         // auto | cuda:N | replay:PATH
  std::string strategy = "exhaustive"; // with its options: "genetic:population=30" (search/strategy.h)
  Budget budget;
  StopRules stop_rules;
  KnowledgeParts knowledge; // what the strategy is told beside what it observes
  std::uint64_t seed = 0;
  std::filesystem::path database;
  std::filesystem::path cache_directory;
  std::filesystem::path worker_executable; // empty: this program; called as `EXE __worker ...`
  bool resume = false;
  bool part_of_sweep = false; // then it is no news that a job was not begun, or finished, by an earlier run
  int compile_workers = 0;    // 0: the cores but one, at most 16
  double compile_timeout_s = 60, evaluate_timeout_s = 30;
  int finalists = 8, rounds = 15;
  bool racing = true; // drop candidates that are clearly slower after a few samples
  MeasureOptions measure;
  ProfileScope profile = ProfileScope::none;
  // A list of sets and metrics (profiler/metric_sets.h). Empty: all that explains the winner and the default, and of
  // the others what is cheap.
  std::string metrics;
  Objective objective = Objective::time;
  bool energy = false;         // of the finalists, also where the objective does not need it
  std::filesystem::path trace; // a picture of the run for Perfetto (tuner/trace.h); empty: none
};

// What a live display needs; called from the session's thread after each trial and at phase changes.
struct Progress {
  // "compiling and measuring", "certifying", "measuring energy", "checking the winner", "counting"
  std::string phase;
  std::int64_t done = 0, total = 0, reused = 0;
  const Trial* last = nullptr;
  double best_us = 0, best_share = 0; // share of the roofline
  std::string best_config;
  std::map<TrialStatus, std::int64_t> by_status;
  double elapsed_s = 0, eta_s = 0; // eta 0: unknown
};

struct SessionResult {
  RowId session = 0;
  DeviceInfo device;
  std::int64_t space_size = 0, measured = 0, reused = 0, profiled = 0;
  std::map<TrialStatus, std::int64_t> by_status;
  BestRecord best; // empty config when interrupted before any candidate was correct
  RooflinePoint roofline;
  std::optional<PowerReading> power; // of the best, where it was measured
  bool interrupted = false;
  std::optional<Ending> ending;   // of the search; nothing when an earlier run finished it
  bool known = false;             // finished by an earlier run: nothing was done but to look it up
  std::vector<std::string> notes; // sentences for the user: "recording was made from another source", ...
  double wall_s = 0;
};

// What a session works with: processes that outlive it, so that the next one starts warm.
struct SessionTools {
  CompilePool& compilers;
  DeviceWorker& device;
  TraceTrack track; // for what the coordinator itself does
};

// `stop` is set by a signal handler: everything measured is stored, the session is marked interrupted. The device in
// the options names the worker's.
Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const SessionTools& tools, const std::function<void(const Progress&)>& progress,
                                  const std::atomic<bool>& stop);
// With processes of its own.
Result<SessionResult> run_session(const Kernel& kernel, const Problem& problem, const SessionOptions& options,
                                  const std::function<void(const Progress&)>& progress, const std::atomic<bool>& stop);

// The hidden `__worker` subcommand: serves requests on a file descriptor until it closes. Returns the exit code.
int worker_main(int argc, const char* const* argv);

} // namespace warptune
