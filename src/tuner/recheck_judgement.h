// Judges a re-check of a result: what has changed since it was stored, and whether the new times agree with the stored
// times. Pure functions, which need no device and no database.
#pragma once

#include "db/records.h"

#include <span>
#include <string>

namespace warptune {

// The present tools and sources. An empty text means "not known", and is not compared.
struct ToolsNow {
  std::string driver, compiler, version; // version: of warptune
  std::string source_hash;               // source hash of the kernel's folder
};

// Returns "the kernel's sources changed; driver 580.1 then, 590.2 now"; empty if no known value has changed.
std::string stale_text(const BestRecord& row, const ToolsNow& now);

// The times of the result and of the default, one per round; equal indices are the same round. `standard_us` is empty
// if there is no default to compare with. Rounds with an invalid time (NaN, infinite, zero) are ignored.
struct NewTimes {
  std::span<const float> winner_us, standard_us;
  std::span<const FinalRound> rounds = {}; // the device's readings
};

// Sets status, rounds, times and evidence. The status is the first of these that applies: `not_timed` if there are too
// few rounds; `slower_than_default` if the result is not the default and is no longer faster than the default; `moved`
// if the medians differ by more than `tolerance` (0.02: 2 %) and the 95 % intervals do not overlap; otherwise `holds`.
// If the board was at its power cap in either measurement, its clock may have changed the time. In place of `moved`,
// the status is then `holds` if there is a default to compare with, otherwise `not_timed`.
CheckRecord judge_times(const BestRecord& row, const NewTimes& times, double tolerance);

} // namespace warptune
