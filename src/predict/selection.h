// What `select` (predict/select.h) reads and returns: results of tuning, options, and the selection with its reason.
#pragma once

#include "predict/transfer.h"
#include "spec/alignment.h"
#include "spec/problem.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace warptune {

// The rule that made the choice. Rules are tried in the order exact, learned_rule, nearest_shape, other_device,
// expected_time, fallback_default; if only one shape was tuned, learned_rule comes after nearest_shape. expected_time
// also replaces a choice by learned_rule, nearest_shape or other_device if an author's formula expects a shorter
// time. The values are those of the C API.
enum class Match { exact, nearest_shape, other_device, fallback_default, learned_rule, expected_time };
// "exact", "nearest shape", "same architecture", "default", "learned rule", "expected time"
std::string_view match_name(Match m);

// A best configuration as stored in the database.
struct TunedEntry {
  Problem problem;
  Config config;
  std::string device_name, arch;
  double median_us = 0;
  double speedup_over_default = 0; // 0: the default was not measured
  bool certified = false;          // whether the finalists were measured again, in interleaved rounds
  std::int64_t row_id = 0;         // id of its database row; 0: it has no row
  std::string outcome;             // a sentence: comparison with the default, or why the entry is not certified
  std::string standing;            // a sentence: later changes or the result of a re-check; empty: nothing to report
  std::string disqualified;        // why the entry must not be launched; empty: it may be launched
};

struct Selection {
  Config config;
  Match match = Match::fallback_default;
  double distance = 0; // sum over dims of |log2(tuned / asked)|; 0 if exact
  int entry = -1;      // index into the entries; -1: the choice is not a stored result
  std::string why;     // a sentence: the rule, and which results it skipped and why
  std::optional<double>
      predicted_loss; // 0.02: expected to be 2 % slower than after tuning this problem; nullopt: not known
  Config runner_up;   // second choice of the learned rule, or the choice that expected_time replaced; empty: none
};

struct SelectOptions {
  std::int64_t alignment = kDefaultAlignment; // every buffer's address is a multiple of this number of bytes
  const LearnedTransfers* learned = nullptr;  // rules learned for this kernel; nullptr: none
  // Returns why a configuration that meets the constraints is not available, for example because a pack lacks its
  // cubin; nullopt if it is available. If the function is empty, all are available.
  std::function<std::optional<std::string>(const Config&)> refuse;
  // Whether a configuration that was never measured may be chosen by its expected time. Set for shipped kernels,
  // because all their configurations were verified. Not set for a user's kernel, because perhaps only its default was
  // ever launched.
  bool by_expected_time = false;
  // The configurations to try if neither a result nor a default can be used, for example all configurations that have a
  // cubin. If nullptr, the default's neighbours are tried, then a sample of the whole space.
  const std::set<Config>* others = nullptr;
};

} // namespace warptune
