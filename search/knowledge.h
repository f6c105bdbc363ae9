// Knowledge: information on configurations before any of them is measured. Each part may be absent, and a strategy may
// ignore any part. tuner/gather_knowledge.h makes it from a spec, a device or a database; this file depends on none of
// them.
#pragma once

#include "space/space.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// A configuration that was good elsewhere: on a neighbouring problem, another device or an older source.
struct Hint {
  ConfigIndex index;    // the valid configuration of this space that is nearest to it
  double relative_time; // its time divided by the best time of that problem; 1: it was the best
  double weight;        // similarity of that problem and this one, in (0, 1]
};

struct Knowledge {
  // Natural logarithm of the time in us that a model of the device expects; NaN if the model has no estimate.
  std::function<double(ConfigIndex)> expected_log_time;
  // Whether this time is the author's estimate (`expected_us` of a spec), which is good enough to start from, rather
  // than only a roofline. Absent: false for all.
  std::function<bool(ConfigIndex)> expected_by_author;
  std::vector<Hint> hints; // best first
};

const Knowledge& no_knowledge();

// The parts of the knowledge to use.
struct KnowledgeParts {
  bool prior = true, hints = true; // prior: expected_log_time
  bool operator==(const KnowledgeParts&) const = default;
};
inline constexpr KnowledgeParts kNothingKnown{false, false};
// Reads "all", "none" or a list such as "prior,hints"; knowledge_text writes the same. "features" and "counters" are
// accepted and ignored: these former parts proved to be useless (docs/notes/knowledge.md).
Result<KnowledgeParts> parse_knowledge(std::string_view text);
std::string knowledge_text(const KnowledgeParts& parts);

// Returns a sentence for the user if `text` names former parts; otherwise an empty string.
std::string former_knowledge_note(std::string_view text);
// Returns the strings that knowledge_text wrote for these parts while the former parts existed.
std::vector<std::string> former_knowledge_texts(const KnowledgeParts& parts);

} // namespace warptune
