// Knowledge: what is known of configurations before any of them was measured. Each part may be absent, and a strategy
// may ignore any. Made by whoever has a spec, a device or a database (tuner/gather_knowledge.h); knows none of them.
#pragma once

#include "core/space.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace warptune {

// A configuration that was good elsewhere: for a neighbouring problem, on another device, of an older source.
struct Hint {
  ConfigIndex index;    // of the nearest configuration that is valid here
  double relative_time; // over the best time there; 1: it was the best
  double weight;        // in (0, 1]: how much alike there and here are
};

struct Knowledge {
  // What follows from a configuration without compiling it (threads, shared memory, waves ...), beside its values.
  std::vector<std::string> feature_names;
  std::function<void(ConfigIndex, std::span<double>)> features; // fills feature_names.size() values
  // Natural logarithm of the time in us that a model of the device expects; NaN where it cannot say.
  std::function<double(ConfigIndex)> expected_log_time;
  std::vector<Hint> hints; // best first
};

const Knowledge& no_knowledge();

} // namespace warptune
