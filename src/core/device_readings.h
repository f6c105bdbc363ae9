// DeviceReadings: what the sensors of a device say while it works, and what its reasons to throttle mean. Pure values;
// src/gpu/nvml.h reads them.
#pragma once

#include "core/members.h"

#include <cstdint>
#include <string>

namespace warptune {

struct DeviceReadings {
  double sm_clock_mhz = 0, temperature_c = 0, power_w = 0; // 0: not known
  std::uint64_t throttle_reasons = 0;                      // NVML's bits
};

template <>
inline constexpr auto kMembers<DeviceReadings> = std::tuple{
    member("sm_clock_mhz", &DeviceReadings::sm_clock_mhz, {.unknown_at_0 = true}),
    member("temperature_c", &DeviceReadings::temperature_c, {.unknown_at_0 = true}),
    member("power_w", &DeviceReadings::power_w, {.unknown_at_0 = true}),
    member("throttle_reasons", &DeviceReadings::throttle_reasons),
};
static_assert(lists_every_field<DeviceReadings>());

// The board holds its power limit by lowering the clock: the normal state of tensor kernels.
bool is_at_power_cap(std::uint64_t reasons);
// Heat, or the board's own protection (hardware slowdown, power brake): the machine is not well, and times taken
// meanwhile say little. The bits of such reasons; 0: none.
std::uint64_t fault_reasons(std::uint64_t reasons);

// "power cap, heat"; empty: nothing slows the device.
std::string throttle_text(std::uint64_t reasons);

} // namespace warptune
