// Hints: what was good elsewhere, made into configurations of this space (search/knowledge.h). Pure: whoever has a
// database reads the results (tuner/gather_knowledge.h).
#pragma once

#include "core/device.h"
#include "search/knowledge.h"
#include "spec/problem.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// One problem of the same kernel, tuned before: maybe for another shape, on another device, of other sources.
struct TunedElsewhere {
  Problem problem;
  std::string device, arch, source_hash;
  bool cold_l2 = true;
  struct Good {
    Config config;                    // of today's params the nearest (spec/nearest_config.h); need not be valid here
    double relative_time;             // over the best time there
    double expected_log_slowdown = 0; // there, as HintTarget::expected_log_slowdown
  };
  std::vector<Good> good; // best first
};

// Where hints are wanted.
struct HintTarget {
  const KernelSpec& spec;
  const SearchSpace& space;
  const Problem& problem;
  std::string device, arch, source_hash;
  bool cold_l2 = true;
  // By how much a model of the device expects a configuration to stay behind what the device allows: the logarithm of a
  // ratio of times, 0 for none. What is fast elsewhere and expected to be slow here ranks lower. Empty: no model.
  std::function<double(ConfigIndex)> expected_log_slowdown = {};
};

// In (0, 1]; 1: the very same. Falls with the per-dimension log distance of the shapes (predict/select.h), and by a
// factor each for another dtype, flag, device, architecture, source and state of the L2 cache.
double likeness(const TunedElsewhere& there, const HintTarget& here);

// The valid configuration that differs in the fewest params from this one, and of those in the fewest steps of their
// values. Nothing when none is near: within any two params, or four by one step each.
std::optional<ConfigIndex> nearest_valid(const Config& config, const HintTarget& here);

// One for each configuration, the most promising first: those that are near the best in many places that are much
// like this one.
std::vector<Hint> make_hints(const std::vector<TunedElsewhere>& elsewhere, const HintTarget& here);

} // namespace warptune
