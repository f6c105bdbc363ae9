// Which configuration to launch for a problem on a device, from what was tuned. Pure and explainable; used by
// `explain`, `run` and the runtime library alike. Every choice that is not exact is checked against this problem and
// this device.
#pragma once

#include "core/device.h"
#include "predict/transfer.h"
#include "space/space.h"
#include "spec/alignment.h"
#include "spec/problem.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// Tried in the order exact, learned_rule, nearest_shape, other_device, fallback_default; the numbers are the C API's.
enum class Match { exact, nearest_shape, other_device, fallback_default, learned_rule };
std::string_view match_name(Match m); // "exact", "nearest shape", "same architecture", "default", "learned rule"

// A best configuration as the database holds it.
struct TunedEntry {
  Problem problem;
  Config config;
  std::string device_name, arch;
  double median_us = 0;
  double speedup_over_default = 0; // 0: the default was not measured
  bool certified = false;          // finalists were re-measured interleaved
  std::int64_t row_id = 0;         // its row in the database, 0 for none
  std::string outcome;             // how it compared with the default, or why it is not certified; a sentence
  std::string standing;            // how it stands today: what changed since, what a check found; empty: nothing to say
  std::string disqualified;        // why it must not be launched any more; empty: nothing speaks against it
};

struct Selection {
  Config config;
  Match match = Match::fallback_default;
  double distance = 0;                  // sum over dims of |log2(tuned / asked)|; 0 when exact
  int entry = -1;                       // index into the entries; -1 for the default and for the learned rule
  std::string why;                      // the rule that chose, what it skipped and why, for a reader
  std::optional<double> predicted_loss; // 0.02: expected 2 % slower than tuning this problem; nothing: not known
  Config runner_up;                     // of the learned rule; empty: none
};

struct SelectOptions {
  std::int64_t alignment = kDefaultAlignment; // bytes that the addresses of all buffers are multiples of
  const LearnedTransfers* learned = nullptr;  // of this kernel; nullptr: there is no learned rule
  // Why a configuration that the constraints allow cannot be had all the same, such as a pack without its program.
  std::function<std::optional<std::string>(const Config&)> refuse;
};

// What was tuned for exactly this problem on this device, where it may be launched; of the entries only those of this
// problem count, and the learned rule does not.
std::optional<Selection> select_exact(const KernelSpec& spec, const std::vector<TunedEntry>& entries,
                                      const Problem& problem, const DeviceInfo& device,
                                      const SelectOptions& options = {});

// An exact entry that is not certified and was slower than the default gives the default's configuration.
// A disqualified entry is never chosen, nor is its configuration for its very problem by any other rule. Never fails on
// an empty list: falls back to the default, or, where that is invalid for the problem, to the first valid configuration
// of the space. Fails with no_candidate only when none is valid.
Result<Selection> select(const KernelSpec& spec, const std::vector<TunedEntry>& entries, const Problem& problem,
                         const DeviceInfo& device, const SelectOptions& options = {});

} // namespace warptune
