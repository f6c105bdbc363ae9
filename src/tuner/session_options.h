// SessionOptions: the user's options for one tuning session.
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
#include <vector>

namespace warptune {

class SharedSearch;

// Selects the trials whose counters are read after all trials have been timed.
enum class ProfileScope { none, best, all }; // best: the winner and the default; all: every correct configuration
std::optional<ProfileScope> parse_profile_scope(std::string_view name);

struct SessionOptions {
  std::string device = "auto";         // auto | cuda:N | replay:PATH
  std::string strategy = "exhaustive"; // name and options: "genetic:population=30" (search/strategy.h)
  Budget budget;
  StopRules stop_rules;
  KnowledgeParts knowledge; // what the strategy is told besides its observations
  std::uint64_t seed = 0;
  std::filesystem::path database;
  std::filesystem::path cache_directory;
  std::filesystem::path worker_executable; // empty: the running program; it is started as `EXE __worker ...`
  bool resume = false;
  bool allow_build = false;   // whether the kernel folder's build commands may run
  bool part_of_sweep = false; // no note if an earlier run finished the job, or if there is no run to resume
  int compile_workers = 0;    // 0: the number of cores minus the number of devices, but at most 16 per device
  double compile_timeout_s = 60, evaluate_timeout_s = 30;
  int finalists = 8, rounds = 15;
  bool racing = true; // early stopping: drop candidates that are clearly slower after a few samples
  MeasureOptions measure;
  ProfileScope profile = ProfileScope::none;
  // A list of metrics and sets of them (profiler/metric_sets.h). Empty: for the winner and the default, all metrics
  // that explain them; for other trials, only cheap metrics.
  std::string metrics;
  Objective objective = Objective::time;
  bool baseline = false;       // measure the kernel's library calls even if the strategy does not propose them
  bool energy = false;         // measure the finalists' energy even if the objective does not need it
  std::filesystem::path trace; // file for a Perfetto trace of the run (worker/trace.h); empty: none
  // Other devices of the same model that also work on the search. The finals run only on `device`.
  std::vector<std::string> more_devices = {};
  // The search that this session shares with other processes; null: none. The object must outlive the session.
  SharedSearch* shared = nullptr;
};

} // namespace warptune
