// Hints: turns good configurations of other problems into configurations of this space (search/knowledge.h). Pure: the
// caller reads the results from a database (tuner/gather_knowledge.h).
#pragma once

#include "core/device.h"
#include "search/knowledge.h"
#include "spec/problem.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// One problem of the same kernel, tuned before: maybe with another shape, device or source.
struct TunedElsewhere {
  Problem problem;
  std::string device, arch, source_hash;
  bool cold_l2 = true;
  struct Good {
    Config config;                    // nearest one of today's params (spec/nearest_config.h); need not be valid here
    double relative_time;             // relative to the best time there
    double expected_log_slowdown = 0; // on that device, as HintTarget::expected_log_slowdown
  };
  std::vector<Good> good; // best first
};

// The problem for which hints are wanted.
struct HintTarget {
  const KernelSpec& spec;
  const SearchSpace& space;
  const Problem& problem;
  std::string device, arch, source_hash;
  bool cold_l2 = true;
  // How far a model of the device expects a configuration to stay behind the device's limit: the logarithm of a ratio
  // of times, 0 for no slowdown. Configurations that are fast elsewhere and expected to be slow here rank lower. Empty:
  // no model.
  std::function<double(ConfigIndex)> expected_log_slowdown = {};
};

// In (0, 1]; 1: identical. Falls with the per-dimension log distance of the shapes (predict/select.h), and by one
// factor for each of these that differs: dtype, flag, device, architecture, source and state of the L2 cache.
double likeness(const TunedElsewhere& there, const HintTarget& here);

// The valid configuration that differs from `config` in the fewest params and, of these, in the fewest steps of their
// values. nullopt if none is near: near means any two params, or four params by one step each.
std::optional<ConfigIndex> nearest_valid(const Config& config, const HintTarget& here);

// One hint per configuration, the most promising first: configurations that are near the best for many problems that
// are much like this one.
std::vector<Hint> make_hints(const std::vector<TunedElsewhere>& elsewhere, const HintTarget& here);

} // namespace warptune
