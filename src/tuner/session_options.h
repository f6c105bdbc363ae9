// SessionOptions: what a user asks of one tuning session.
#pragma once

#include "core/objective.h"
#include "profiler/timer.h"
#include "search/knowledge.h"
#include "tuner/budget.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace warptune {

// Of which trials counters are read, once all are timed.
enum class ProfileScope { none, best, all }; // best: the winner and the default; all: every correct one
std::optional<ProfileScope> parse_profile_scope(std::string_view name);

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
  bool allow_build = false;   // whether the kernel's description may run commands that build implementations
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
  bool baseline = false;       // the kernel's library calls take part, whatever the strategy proposes
  bool energy = false;         // of the finalists, also where the objective does not need it
  std::filesystem::path trace; // a picture of the run for Perfetto (worker/trace.h); empty: none
};

} // namespace warptune
