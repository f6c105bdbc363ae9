// The database's rows as values, shared by reader and writer (db/schema/*.sql has the tables). Problems and
// configurations are strings here, because merge, show and listings read rows without the kernel's spec. Code that has
// the spec converts them to values (db/spec_reader.h).
#pragma once

#include "core/device.h"
#include "core/objective.h"
#include "core/trial.h"
#include "db/final_rounds.h"
#include "predict/select.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune {

using RowId = std::int64_t;
using SomeProblems =
    std::optional<std::vector<RowId>>; // ascending ids of rows in the table `problems`; nullopt: all problems

// What a session measures. Two sessions with equal identities make the same measurement.
struct SessionIdentity {
  std::string kernel, source_hash; // name in the spec, and hash of the sources
  std::string problem;             // problem_key
  std::string device_backend, device_name, device_uuid, arch, driver, compiler;
  std::string strategy, budget; // as typed; the strategy with its options
  std::uint64_t seed = 0;
  bool cold_l2 = true;
  Objective objective = Objective::time;
  bool operator==(const SessionIdentity&) const = default;
};

enum class SessionState { running, interrupted, finished, failed };
std::string_view session_state_name(SessionState state); // "running"; as in the database and in JSON

struct SessionRecord {
  RowId id = 0;
  SessionIdentity identity;
  SessionState state = SessionState::running;
  std::string started_at, ended_at, version; // ISO 8601 UTC
  std::int64_t space_size = 0;
  bool has_trials = false;
};

// How many trials a session has.
struct TrialCounts {
  std::int64_t all = 0, ok = 0;
};

// When the first and the last trial of a session were measured: "2025-01-31T12:00:00Z"; empty: it has no trials. Trials
// of a replayed session have the time of the recording, but older versions stored the time of the replay.
struct TrialTimes {
  std::string first, last;
};

// The outcome of a re-check of a result. not_timed: no device ran it.
enum class CheckStatus { holds, moved, slower_than_default, wrong, failed, not_timed };
std::string_view check_name(CheckStatus status); // "slower_than_default"; as in the database and in JSON
std::string check_text(CheckStatus status);      // "slower than default"

struct CheckRecord {
  RowId id = 0, best = 0; // best: id of the result that was checked
  CheckStatus status = CheckStatus::not_timed;
  std::string driver, compiler, version; // versions at the check; driver and compiler are empty if there was no device
  int rounds = 0;
  double median_us = 0, ci_low_us = 0, ci_high_us = 0, default_us = 0; // 0: not timed
  std::string evidence;                                                // a sentence: why it has this status
  std::string stale; // what has changed since the result was stored; empty: nothing
  std::string checked_at;
};

// A finalist that no other finalist beats in both time and energy.
struct ParetoPoint {
  std::string config;
  double median_us = 0, energy_mj = 0;
};

// The time of a finalist in the rounds of the finals, at the same clock as the winner's time.
struct FinalTime {
  std::string config;
  double median_us = 0;
};

// The outcome of the finals of a session (docs/methodology: certified winners).
struct BestRecord {
  RowId id = 0, session = 0;
  std::string kernel, source_hash, problem, device_name, device_uuid, arch, config, default_config;
  double median_us = 0, ci_low_us = 0, ci_high_us = 0, default_us = 0; // default_us: 0 if the default did not take part
  double roofline_share = 0;
  std::string bound;
  bool certified = false;
  bool cold_l2 = true;                   // L2 state of the session
  Objective objective = Objective::time; // objective of the session, by which the winner is the best
  double energy_mj = 0;                  // energy per launch; 0: not measured
  double p_value = 1;                    // p-value of the hypothesis "the winner is not better than the default"
  std::string outcome;                   // "faster than the default", "not distinguishable from the default", ...
  std::vector<std::string> tie_set;      // texts of configurations, including the winner
  std::vector<ParetoPoint> pareto;       // the Pareto set, fastest first; empty: energy was not measured
  std::vector<FinalRound> rounds;        // counted rounds of the finals; empty: stored before schema 6
  std::vector<FinalTime> finalists;      // the correct ones, fastest first; empty: stored before schema 9
  std::string baseline;                  // the fastest finalist that calls a library; empty: none
  double baseline_us = 0;                // measured in the same rounds and at the same clock as median_us
  std::string without_calls;   // if the winner calls a library: the fastest finalist that calls none; empty: none
  double without_calls_us = 0; // as baseline_us
  std::string checks;          // on which seeds and ragged shapes the winner was correct, or why none was checked
  std::string cubin_hash;
  std::string created_at;
  std::string device_backend, driver, compiler, version; // of the session; version: warptune's
  std::string stale;                                     // what the newest check found to have changed; empty: nothing
  std::optional<CheckRecord> last_check;                 // the newest check that ran on a device
  std::string disqualified; // a sentence: why the result must not be launched; empty: it may be launched
};

// A kernel with the sources that were tuned. It is complete, so no template folder is needed to use it.
struct KernelRecord {
  RowId id = 0;
  std::string name, source_hash;
  std::vector<std::pair<std::string, std::string>> files;
};

struct CubinRecord {
  std::string hash, arch, image;
  std::vector<std::string> lowered_names;
};

struct CubinSize {
  std::string hash, arch;
  std::int64_t bytes = 0;
};

// A pack's description of itself (the table `pack`; docs/pack.md lists the values).
struct PackInfo {
  std::string digest; // SHA-256 over the whole content, 64 hex digits
  std::map<std::string, std::string> values;
};

// How one kernel variant (a dtype with flags) was packed for one device.
struct PackRule {
  std::string kernel, source_hash, device_name, arch;
  std::string variant;      // as in a problem's key: "bf16;log=0"
  std::int64_t shapes = 0;  // number of tuned shapes
  std::int64_t configs = 0; // number of shipped configurations
  std::int64_t guarded = 0; // number of shapes with the default, because nothing was certified as faster
  double worst_loss = 0;    // largest slowdown of a shipped configuration relative to its shape's fastest; 0.03: 3 %
  std::string method;       // how the configurations were chosen: "exact" or "greedy"
  std::string rule;         // for untuned shapes: a transfer_text (predict/transfer.h); empty: none was learned
  struct Loss {
    double mean = 0, worst = 0;
  };
  std::optional<Loss> rule_loss; // loss of the rule on shapes that were left out while learning
};

// A stored trial. `trial.config` has the values from the text `config`. `trial.config` is empty if the text has labels,
// which only the spec can convert.
struct TrialRow {
  RowId session;
  Trial trial;
  std::string config;
};

} // namespace warptune
