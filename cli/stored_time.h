// Compares a new time with a stored one.
#pragma once

#include "db/records.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

// Returns the result with this id; nullopt if it has no interval or was timed with a warm L2. The new time was measured
// with a cold L2, so it is not comparable with a time that was measured with a warm L2.
std::optional<BestRecord> stored_time_of(const std::vector<BestRecord>& results, RowId id);

// Returns where the time is relative to the stored interval: "inside", "above" or "below".
std::string_view place_in_interval(double median_us, const BestRecord& stored);

// Returns "2.693 ms, interval 2.688 ms to 2.701 ms: this run is 0.4 % above this interval".
std::string beside_stored_text(double median_us, const BestRecord& stored);

} // namespace warptune::cli
