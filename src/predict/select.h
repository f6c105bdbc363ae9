// Selects the configuration to launch for a problem on a device, from tuning results. Pure and explainable; `explain`,
// `run` and the runtime library all use it. Every choice that is not exact is checked against the constraints for this
// problem and this device.
#pragma once

#include "core/device.h"
#include "predict/transfer.h"
#include "space/space.h"
#include "spec/alignment.h"
#include "spec/problem.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warptune {

// The rules are tried in the order exact, learned_rule, nearest_shape, other_device, fallback_default. If only one
// shape was tuned, learned_rule comes after nearest_shape. The values equal those of the C API.
enum class Match { exact, nearest_shape, other_device, fallback_default, learned_rule };
std::string_view match_name(Match m); // "exact", "nearest shape", "same architecture", "default", "learned rule"

// A best configuration as stored in the database.
struct TunedEntry {
  Problem problem;
  Config config;
  std::string device_name, arch;
  double median_us = 0;
  double speedup_over_default = 0; // 0: the default was not measured
  bool certified = false;          // whether the finalists were re-measured, interleaved
  std::int64_t row_id = 0;         // id of its row in the database; 0: it has no row
  std::string outcome;             // a sentence: the comparison with the default, or why it is not certified
  std::string standing;            // its current state: later changes, the result of a check; empty: nothing to report
  std::string disqualified;        // why it must not be launched; empty: it may be launched
};

struct Selection {
  Config config;
  Match match = Match::fallback_default;
  double distance = 0;                  // sum over dims of |log2(tuned / asked)|; 0 when exact
  int entry = -1;                       // index into the entries; -1 for the default and for the learned rule
  std::string why;                      // a sentence: the rule that was used, and which results it skipped and why
  std::optional<double> predicted_loss; // 0.02: expected 2 % slower than tuning this problem; nullopt: not known
  Config runner_up;                     // the runner-up of the learned rule; empty: none
};

struct SelectOptions {
  std::int64_t alignment = kDefaultAlignment; // the addresses of all buffers are multiples of this many bytes
  const LearnedTransfers* learned = nullptr;  // this kernel's learned rules; nullptr: none
  // Returns why a configuration that meets the constraints is not available (such as a pack without its cubin);
  // nullopt: it is available. Empty: all are available.
  std::function<std::optional<std::string>(const Config&)> refuse;
  // The configurations to try if neither a result nor a default can be used, such as those with a cubin. nullptr: the
  // default's neighbours, then a sample of the whole space.
  const std::set<Config>* others = nullptr;
};

// Returns the tuning result for exactly this problem on this device, if it may be launched. Uses only the entries of
// this problem, not the learned rule.
std::optional<Selection> select_exact(const KernelSpec& spec, const std::vector<TunedEntry>& entries,
                                      const Problem& problem, const DeviceInfo& device,
                                      const SelectOptions& options = {});

// If an exact entry is not certified and was slower than the default, the default's configuration is chosen. A
// disqualified entry is never chosen, and no other rule chooses its configuration for the same problem. If no entry can
// be used, or there is none, the choice falls back to the default, then to the defaults of other implementations, then
// to SelectOptions::others or, without them, to a valid configuration found in a search of limited length. Fails with
// no_candidate if none of these may be launched.
Result<Selection> select(const KernelSpec& spec, const std::vector<TunedEntry>& entries, const Problem& problem,
                         const DeviceInfo& device, const SelectOptions& options = {});

} // namespace warptune
