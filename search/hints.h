// Hints: converts good configurations of other problems to configurations of this space (search/knowledge.h). Pure; the
// caller reads the results from a database (tuner/gather_knowledge.h).
#pragma once

#include "search/knowledge.h"
#include "spec/problem.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// A tuned problem of the same kernel, perhaps with another shape, device or source.
struct TunedElsewhere {
  Problem problem;
  std::string device, arch, source_hash;
  bool cold_l2 = true;
  struct Good {
    Config config;                    // converted to the present params (spec/nearest_config.h); may be invalid here
    double relative_time;             // the configuration's time divided by the best time of its problem
    double expected_log_slowdown = 0; // as HintTarget::expected_log_slowdown, but for `device` above
  };
  std::vector<Good> good; // best first
};

// The problem and space that hints are made for.
struct HintTarget {
  const KernelSpec& spec;
  const SearchSpace& space;
  const Problem& problem;
  std::string device, arch, source_hash;
  bool cold_l2 = true;
  // The slowdown that a model expects for a configuration: log(expected time / time at the device's limit); 0: as fast
  // as the limit. Configurations that are fast elsewhere but expected to be slow here rank lower. Empty: no model.
  std::function<double(ConfigIndex)> expected_log_slowdown = {};
};

// Returns how similar the two problems are, in (0, 1]; 1: identical. The similarity decreases with the log distance of
// each dim (dim_distance of predict/transfer_model.h), and by a factor for each difference: in dtype, a flag, the
// device or architecture, the source, or the L2 state.
double likeness(const TunedElsewhere& there, const HintTarget& here);

// Returns the valid configuration that differs from `config` in the fewest params. If there are several, returns the
// one that differs by the fewest steps between values. Up to two params may differ by any number of steps, three or
// four params by one step each. nullopt if no configuration is that near.
std::optional<ConfigIndex> nearest_valid(const Config& config, const HintTarget& here);

// Returns one hint per configuration. Those that were nearly the best in many similar problems come first.
std::vector<Hint> make_hints(const std::vector<TunedElsewhere>& elsewhere, const HintTarget& here);

} // namespace warptune
