// Whether a device's stored roofs are still its roofs. Pure: the time is handed in. Knows no database.
#pragma once

#include "core/device.h"

#include <chrono>
#include <string>

namespace warptune {

inline constexpr std::chrono::days kRoofsAge{30}; // machines get warmer, boards get other power limits

// Why the roofs should be measured again, after "the stored ones ...": another driver measured them, an older
// version measured fewer, or they are older than kRoofsAge. Empty: they are as good as new.
std::string why_stale(const Roofs& stored, const DeviceInfo& device, std::chrono::system_clock::time_point now);

} // namespace warptune
