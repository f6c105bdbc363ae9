// When a search ends: how much of a space a session looks at, and what is good enough, as the user says it.
#pragma once

#include "core/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace warptune {

// How much of a space is looked at, at most; whichever comes first. "200" evaluations, "30s" (or "10m", "1h") seconds,
// "10%" of the space, or several of them: "200,30s". Empty: all.
struct Budget {
  double evaluations = 0, seconds = 0, percent = 0; // 0: no such limit
  std::string text;                                 // as typed, in seconds where it is a time; empty: all
  bool all() const { return text.empty(); }
};
// "30s", "10m", "1.5h" or a plain number of seconds; nothing when it is anything else.
std::optional<double> parse_duration(std::string_view text);
Result<Budget> parse_budget(const std::string& text);

// When a search is good enough to end before its budget does.
struct StopRules {
  double target_us = 0;    // a configuration that takes no longer than this
  double target_share = 0; // the same as a share of the roofline
  double stop_below = 0;   // by how much the best time may still be expected to fall, as a share of it
  bool any() const { return target_us > 0 || target_share > 0 || stop_below > 0; }
  bool operator==(const StopRules&) const = default;
};
// "120us", "1.5ms", "2s" or "95%" (of the roofline); "1%". Each sets its part of `rules`.
Result<void> parse_target(const std::string& text, StopRules& rules);
Result<void> parse_stop_below(const std::string& text, StopRules& rules);
// Budget and rules as they stand in the database: "200; target 120us; stop below 1%". Empty: all.
std::string ending_text(const Budget& budget, const StopRules& rules);

// What ended a search. `interrupted`: by the user.
enum class Ending { all_tried, evaluations, seconds, target, low_expected_gain, strategy_done, interrupted };
std::string_view ending_name(Ending ending); // as JSON has it; low_expected_gain is "little_left" there

} // namespace warptune
