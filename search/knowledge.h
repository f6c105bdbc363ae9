// Knowledge: what is known of configurations before any of them was measured. Each part may be absent, and a strategy
// may ignore any. Made by whoever has a spec, a device or a database (tuner/gather_knowledge.h); knows none of them.
#pragma once

#include "space/space.h"

#include <functional>
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
  // Natural logarithm of the time in us that a model of the device expects; NaN where it cannot say.
  std::function<double(ConfigIndex)> expected_log_time;
  // Whether that is the estimate of the kernel's author (`expected_us` of a spec) and not only a roofline's: worth
  // starting from. Absent: of none.
  std::function<bool(ConfigIndex)> expected_by_author;
  std::vector<Hint> hints; // best first
};

const Knowledge& no_knowledge();

// Which of it is wanted.
struct KnowledgeParts {
  bool prior = true, hints = true; // prior: expected_log_time
  bool operator==(const KnowledgeParts&) const = default;
};
inline constexpr KnowledgeParts kNothingKnown{false, false};
// "all", "none" or a list such as "prior,hints". knowledge_text writes the same. "features" and "counters", which were
// parts until they proved to be worth nothing (docs/notes/knowledge.md), are read and change nothing.
Result<KnowledgeParts> parse_knowledge(std::string_view text);
std::string knowledge_text(const KnowledgeParts& parts);

// A sentence for the user when `text` names former parts; empty otherwise.
std::string former_knowledge_note(std::string_view text);
// What knowledge_text wrote of these parts while there were the former ones too.
std::vector<std::string> former_knowledge_texts(const KnowledgeParts& parts);

} // namespace warptune
