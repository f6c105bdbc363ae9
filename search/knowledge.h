// Knowledge: what is known about configurations before any is measured. Each part may be missing, and a strategy may
// ignore any part. tuner/gather_knowledge.h makes it from a spec, a device and a database; this file depends on none of
// these.
#pragma once

#include "space/space.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// A configuration that was good in another place: for a similar problem, on another device or with an older source.
struct Hint {
  ConfigIndex index;    // the valid configuration of this space that is nearest to the good configuration
  double relative_time; // the configuration's time for the similar problem, divided by that problem's best time
  double weight;        // similarity of the hint's problem to this problem, in (0, 1]
};

struct Knowledge {
  // The natural logarithm of the time in us that a model of the device expects; NaN: no estimate.
  std::function<double(ConfigIndex)> expected_log_time;
  // Whether the expected time is the author's estimate (`expected_us` of a spec) and not a roofline. The two must not
  // be compared, because a roofline is more optimistic. If the function is empty, there are no such estimates.
  std::function<bool(ConfigIndex)> expected_by_author;
  std::vector<Hint> hints; // best first
};

const Knowledge& no_knowledge();

// Which parts of the knowledge to use.
struct KnowledgeParts {
  bool prior = true, hints = true; // prior: Knowledge::expected_log_time
  bool operator==(const KnowledgeParts&) const = default;
};
inline constexpr KnowledgeParts kNothingKnown{false, false};
// parse_knowledge reads "all", "none" or a list such as "prior,hints", and knowledge_text writes such a text. Also
// accepts and ignores "features" and "counters", two former parts that proved to be useless (docs/notes/knowledge.md).
Result<KnowledgeParts> parse_knowledge(std::string_view text);
std::string knowledge_text(const KnowledgeParts& parts);

// Returns a sentence for the user if `text` names former parts; otherwise an empty text.
std::string former_knowledge_note(std::string_view text);
// Returns what knowledge_text wrote for these parts when the former parts still existed.
std::vector<std::string> former_knowledge_texts(const KnowledgeParts& parts);

} // namespace warptune
