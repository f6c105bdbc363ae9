// Decides when a search ends: at the user's limits, or earlier if the result is good enough.
#pragma once

#include "core/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace warptune {

// The limits of a search: a number of evaluations ("200"), a time ("30s", "10m", "1h"), a share of the space ("10%"),
// or several of these ("200,30s"). The search ends at the first limit that it reaches. Without a limit, the search
// tries the whole space.
struct Budget {
  double evaluations = 0, seconds = 0, percent = 0; // 0: no limit of this kind
  std::string text;                                 // as typed, but with times in seconds; empty: no limit
  std::string time_text;                            // the limit of `seconds` as typed
  bool all() const { return text.empty(); }
};
// Parses "30s", "10m", "1.5h" or a plain number of seconds; nullopt for any other text.
std::optional<double> parse_duration(std::string_view text);
Result<Budget> parse_budget(const std::string& text);

// Conditions that end a search before it reaches a limit of its budget.
struct StopRules {
  double target_us = 0;    // stop if a configuration takes at most this long; 0: not set
  double target_share = 0; // stop if a configuration reaches this share of the roofline; 0: not set
  double stop_below =
      0; // stop if the strategy forecasts 32 times in a row that the best time will shrink by less than this share
  bool any() const { return target_us > 0 || target_share > 0 || stop_below > 0; }
  bool operator==(const StopRules&) const = default;
};
// parse_target reads "120us", "1.5ms", "2s" or "95%" (of the roofline); parse_stop_below reads "1%". Each function sets
// only its own members of `rules`.
Result<void> parse_target(const std::string& text, StopRules& rules);
Result<void> parse_stop_below(const std::string& text, StopRules& rules);
// Returns budget and rules as the database stores them: "200; target 120us; stop below 1%". Empty: no limit.
std::string ending_text(const Budget& budget, const StopRules& rules);

// The reason why a search ended. `interrupted`: the user stopped it.
enum class Ending { all_tried, evaluations, seconds, target, low_expected_gain, strategy_done, interrupted };
std::string_view ending_name(Ending ending); // name in JSON; that of low_expected_gain is "little_left"

} // namespace warptune
