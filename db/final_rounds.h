// FinalRound: a round of the finals, as stored with a result. Also computes the clock at which the result was timed.
#pragma once

#include "core/device_readings.h"

#include <span>
#include <string>

namespace warptune {

// The finalists' times in one round (0: did not take part), and the readings of the device during it.
struct FinalRound {
  double winner_us = 0, default_us = 0, baseline_us = 0;
  DeviceReadings device;
};

template <>
inline constexpr auto kMembers<FinalRound> = std::tuple{
    member("winner_us", &FinalRound::winner_us, {.unknown_at_0 = true}),
    member("default_us", &FinalRound::default_us, {.unknown_at_0 = true}),
    member("baseline_us", &FinalRound::baseline_us, {.unknown_at_0 = true}),
    member("device", &FinalRound::device),
};
static_assert(lists_every_field<FinalRound>());

// The SM clocks in MHz over the rounds whose clock is known; 0: no round has one.
struct ClockRange {
  double low = 0, median = 0, high = 0;
  bool moves() const { return high > low; }
};
ClockRange clocks_of(std::span<const FinalRound> rounds);
// Returns "1410 to 1980 MHz" or "1980 MHz"; empty if not known.
std::string clock_text(const ClockRange& clocks);

bool any_at_power_cap(std::span<const FinalRound> rounds);

} // namespace warptune
