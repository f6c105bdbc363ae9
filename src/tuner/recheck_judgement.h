// What a second look at a result means: what has changed since it was stored, and whether new times agree with the
// stored ones. Pure: samples and records in, words and a status out. Knows no device and no database.
#pragma once

#include "db/records.h"

#include <span>
#include <string>

namespace warptune {

// What is at hand now. Empty: not known, so nothing is said about it.
struct ToolsNow {
  std::string driver, compiler, version; // version: of warptune
  std::string source_hash;               // of the kernel's folder
};

// "the kernel's sources changed, driver 580.1 then, 590.2 now"; empty when nothing that is known has changed.
std::string stale_text(const BestRecord& row, const ToolsNow& now);

// The times of the result and of the default, by round; those of one round belong together. `standard` empty: there is
// no default to compare with. Rounds whose times are no times (NaN, infinite, zero) do not count.
struct NewTimes {
  std::span<const float> winner_us, standard_us;
  std::span<const FinalRound> rounds = {}; // the device meanwhile
};

// In this order: not_timed with too few rounds to tell; slower_than_default when the result was another configuration
// than the default and shows no advantage any more; moved when the median differs by more than `tolerance` (0.02: 2 %)
// and the 95 % intervals do not overlap; else holds. At the board's power cap, then or now, a time is that of some
// clock: there a median that differs is no move, and without a default to compare with not_timed. Fills in status,
// rounds, times and evidence.
CheckRecord judge_times(const BestRecord& row, const NewTimes& times, double tolerance);

} // namespace warptune
