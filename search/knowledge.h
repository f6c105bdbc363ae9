// Knowledge: what is known of configurations before any of them was measured. Each part may be absent, and a strategy
// may ignore any. Made by whoever has a spec, a device or a database (tuner/gather_knowledge.h); knows none of them.
#pragma once

#include "space/space.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// A configuration that was good elsewhere: for a neighbouring problem, on another device, of an older source.
struct Hint {
  ConfigIndex index;    // of the nearest configuration that is valid here
  double relative_time; // over the best time there; 1: it was the best
  double weight;        // in (0, 1]: how much alike there and here are
};

struct Knowledge {
  // What is known of a configuration beside its values: what follows from it without compiling it (threads, shared
  // memory, waves ...), what it was counted to ask of the units of the device.
  std::vector<std::string> feature_names;
  // Fills feature_names.size() values; NaN: this configuration has none. A few microseconds.
  std::function<void(ConfigIndex, std::span<double>)> features;
  // Natural logarithm of the time in us that a model of the device expects; NaN where it cannot say.
  std::function<double(ConfigIndex)> expected_log_time;
  std::vector<Hint> hints; // best first

  // After those that there are; `fill` as `features`, for names.size() values.
  void add_features(std::vector<std::string> names, std::function<void(ConfigIndex, std::span<double>)> fill);
};

const Knowledge& no_knowledge();

// Which of it is wanted.
struct KnowledgeParts {
  // prior: expected_log_time; counters: features from what the hardware counted elsewhere.
  bool features = true, prior = true, hints = true, counters = true;
  bool operator==(const KnowledgeParts&) const = default;
};
inline constexpr KnowledgeParts kNothingKnown{false, false, false, false};
// "all", "none" or a list such as "features,prior". knowledge_text writes the same.
Result<KnowledgeParts> parse_knowledge(std::string_view text);
std::string knowledge_text(const KnowledgeParts& parts);

} // namespace warptune
