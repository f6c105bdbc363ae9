// Judges a re-check of a result: what has changed since it was stored, and whether new times agree with the stored
// ones. Pure functions from samples and records to text and a status. They do not depend on a device or a database.
#pragma once

#include "db/records.h"

#include <span>
#include <string>

namespace warptune {

// The current tools and sources. An empty string means not known; it is not compared.
struct ToolsNow {
  std::string driver, compiler, version; // version: of warptune
  std::string source_hash;               // source hash of the kernel's folder
};

// "the kernel's sources changed; driver 580.1 then, 590.2 now"; empty if no known part has changed.
std::string stale_text(const BestRecord& row, const ToolsNow& now);

// The times of the result and of the default; equal indices mean the same round. `standard_us` is empty if there is
// no default to compare with. Rounds with invalid times (NaN, infinite, zero) do not count.
struct NewTimes {
  std::span<const float> winner_us, standard_us;
  std::span<const FinalRound> rounds = {}; // the device's readings
};

// Status, in this order: not_timed if there are too few rounds; slower_than_default if the result is not the default
// and is no longer faster than it; moved if the median differs by more than `tolerance` (0.02: 2 %) and the 95 %
// intervals do not overlap; otherwise holds. If the board was at its power cap in either measurement, its clock affects
// the time, so the status is holds instead of moved, or not_timed without a default to compare with. Fills in status,
// rounds, times and evidence.
CheckRecord judge_times(const BestRecord& row, const NewTimes& times, double tolerance);

} // namespace warptune
