// Decides whether a device's stored roofs are still valid. A pure function: the caller passes the time. Does not depend
// on the database.
#pragma once

#include "core/device.h"

#include <chrono>
#include <string>

namespace warptune {

inline constexpr std::chrono::days kRoofsAge{30}; // the maximum age: cooling and power limits change over time

// Returns why the roofs should be measured again, as the end of "the stored ones ...": they were measured with another
// driver, by an older version that measured fewer roofs, or more than kRoofsAge ago. Empty: they are valid.
std::string why_stale(const Roofs& stored, const DeviceInfo& device, std::chrono::system_clock::time_point now);

} // namespace warptune
