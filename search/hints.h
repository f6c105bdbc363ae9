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

// A problem of the same kernel that was tuned before, possibly with another shape, device or source.
struct TunedElsewhere {
  Problem problem;
  std::string device, arch, source_hash;
  bool cold_l2 = true;
  struct Good {
    Config config; // the nearest configuration of the current params (spec/nearest_config.h); it may be invalid here
    double relative_time;             // its time divided by the best time of that problem
    double expected_log_slowdown = 0; // like HintTarget::expected_log_slowdown, for that device
  };
  std::vector<Good> good; // best first
};

// The problem that the hints are for.
struct HintTarget {
  const KernelSpec& spec;
  const SearchSpace& space;
  const Problem& problem;
  std::string device, arch, source_hash;
  bool cold_l2 = true;
  // The slowdown against the device's limit that a model expects for a configuration: the logarithm of a ratio of
  // times, 0 for no slowdown. Configurations that are fast elsewhere and expected to be slow here rank lower. Empty: no
  // model.
  std::function<double(ConfigIndex)> expected_log_slowdown = {};
};

// Returns the similarity in (0, 1]; 1: identical. It decreases with the log distance of each dim (dim_distance of
// predict/transfer_model.h), and by one factor for each difference in dtype, flags, device or architecture, source and
// L2 state.
double likeness(const TunedElsewhere& there, const HintTarget& here);

// Returns the valid configuration that differs from `config` in the fewest params and, among those, by the fewest value
// steps. It may differ arbitrarily in two params, or by one step in each of four; nullopt if there is none.
std::optional<ConfigIndex> nearest_valid(const Config& config, const HintTarget& here);

// Returns one hint per configuration. Configurations that are nearly the best for many similar problems come first.
std::vector<Hint> make_hints(const std::vector<TunedElsewhere>& elsewhere, const HintTarget& here);

} // namespace warptune
