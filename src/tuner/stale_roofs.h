// Decides whether a device's stored roofs are still valid. A pure function, to which the caller passes the time.
// Independent of the database.
#pragma once

#include "core/device.h"

#include <chrono>
#include <string>

namespace warptune {

inline constexpr std::chrono::days kRoofsAge{30}; // maximum age, because cooling and power limits change over time

// Returns why the roofs should be measured again, as the end of a sentence that begins with "the stored ones". Reasons:
// the roofs were measured with another driver, by an older version that measured fewer roofs, or more than kRoofsAge
// ago. Empty: they are valid.
std::string why_stale(const Roofs& stored, const DeviceInfo& device, std::chrono::system_clock::time_point now);

} // namespace warptune
