// Compares a new time with the stored one.
#pragma once

#include "db/records.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

// Returns the result with this id if it has an interval; otherwise nullopt. A result with a warm L2 is not comparable
// with a time with a cold L2.
std::optional<BestRecord> stored_time_of(const std::vector<BestRecord>& results, RowId id);

// "inside", "above", "below" the stored interval.
std::string_view place_in_interval(double median_us, const BestRecord& stored);

// "2.693 ms, interval 2.688 ms to 2.701 ms: this run is 0.4 % above it"
std::string beside_stored_text(double median_us, const BestRecord& stored);

} // namespace warptune::cli
