// The rows of the database as values (db/schema/*.sql has the tables). Shared by reader and writer. Problems and
// configurations are strings here, because merge, show and listings read rows without the kernel's spec. Code that has
// the spec reads them as values (db/spec_reader.h).
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
using SomeProblems = std::optional<std::vector<RowId>>; // ids of rows in `problems`, ascending; nullopt: all

// The subject of a session; two sessions with equal identities measure the same thing.
struct SessionIdentity {
  std::string kernel, source_hash; // spec name and content hash
  std::string problem;             // problem_key
  std::string device_backend, device_name, device_uuid, arch, driver, compiler;
  std::string strategy, budget; // strategy (with its options) and budget as typed
  std::uint64_t seed = 0;
  bool cold_l2 = true;
  Objective objective = Objective::time;
  bool operator==(const SessionIdentity&) const = default;
};

enum class SessionState { running, interrupted, finished, failed };
std::string_view session_state_name(SessionState state); // "running", as in the database and JSON

struct SessionRecord {
  RowId id = 0;
  SessionIdentity identity;
  SessionState state = SessionState::running;
  std::string started_at, ended_at, version; // ISO 8601 UTC
  std::int64_t space_size = 0;
  bool has_trials = false;
};

// The numbers of a session's trials.
struct TrialCounts {
  std::int64_t all = 0, ok = 0;
};

// When the first and the last of a session's trials were measured, "2025-01-31T12:00:00Z"; empty: it has no trials. The
// trials of a replayed session have the time of the recording; older versions stored the time of the replay.
struct TrialTimes {
  std::string first, last;
};

// The outcome of a re-check of a result. not_timed: it was not run on a device.
enum class CheckStatus { holds, moved, slower_than_default, wrong, failed, not_timed };
std::string_view check_name(CheckStatus status); // "slower_than_default", as in the database and JSON
std::string check_text(CheckStatus status);      // "slower than default"

struct CheckRecord {
  RowId id = 0, best = 0; // best: the checked result
  CheckStatus status = CheckStatus::not_timed;
  std::string driver, compiler, version; // at the check; driver and compiler are empty if no device was available
  int rounds = 0;
  double median_us = 0, ci_low_us = 0, ci_high_us = 0, default_us = 0; // 0: not timed
  std::string evidence;                                                // a sentence: the reason for the status
  std::string stale; // changes since the result was stored; empty: none
  std::string checked_at;
};

// A finalist that no other finalist beats in both time and energy.
struct ParetoPoint {
  std::string config;
  double median_us = 0, energy_mj = 0;
};

// The outcome of a session's final rounds (docs/methodology: certified winners).
struct BestRecord {
  RowId id = 0, session = 0;
  std::string kernel, source_hash, problem, device_name, device_uuid, arch, config, default_config;
  double median_us = 0, ci_low_us = 0, ci_high_us = 0, default_us = 0; // default_us is 0 if the default did not run
  double roofline_share = 0;
  std::string bound;
  bool certified = false;
  bool cold_l2 = true;                   // the session's L2 state
  Objective objective = Objective::time; // the session's objective, by which the winner is the best
  double energy_mj = 0;                  // energy per launch; 0: not measured
  double p_value = 1;                    // p-value of the hypothesis that the winner is not better than the default
  std::string outcome;                   // "faster than the default", "not distinguishable from the default", ...
  std::vector<std::string> tie_set;      // config texts, including the winner's
  std::vector<ParetoPoint> pareto;       // the Pareto set from fast to slow; empty: energy was not measured
  std::vector<FinalRound> rounds;        // rounds of the finals that counted; empty: stored before schema 6
  std::string baseline;                  // the fastest configuration of library calls in the finals; empty: none
  double baseline_us = 0;                // the baseline's time, measured together with median_us at the same clock
  std::string checks; // seeds and ragged shapes on which the winner was correct, or why no check was possible
  std::string cubin_hash;
  std::string created_at;
  std::string device_backend, driver, compiler, version; // the session's; version: warptune's
  std::string stale;                                     // changes that the newest check found; empty: none
  std::optional<CheckRecord> last_check;                 // the newest check that a device ran
  std::string disqualified; // a sentence: why the result must not be launched; empty: it may be launched
};

// A kernel as it was when tuned. It is complete, so a reader needs no template folder.
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

// How one kernel variant was packed for one device.
struct PackRule {
  std::string kernel, source_hash, device_name, arch;
  std::string variant;      // dtype and flags, as in a problem's key: "bf16;log=0"
  std::int64_t shapes = 0;  // tuned shapes
  std::int64_t configs = 0; // shipped configurations
  std::int64_t guarded = 0; // number of shapes that ship the default because nothing was certified faster
  double worst_loss = 0;    // the largest slowdown of a shipped pick relative to the fastest on its shape; 0.03: 3 %
  std::string method;       // how the set of configurations was found: "exact", "greedy"
  std::string rule;         // for untuned shapes, by transfer_text (predict/transfer.h); empty if none was learned
  struct Loss {
    double mean = 0, worst = 0;
  };
  std::optional<Loss> rule_loss; // the loss on shapes left out while learning
};

// A trial as it was stored. `trial.config` holds the numbers of `config`; it is empty if `config` has labels, which
// need the spec.
struct TrialRow {
  RowId session;
  Trial trial;
  std::string config;
};

} // namespace warptune
