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

// The lowest of the clocks that are read in one timing, or in the rounds of the finals.
class LowestClock {
 public:
  void add(double mhz) { // 0: not known
    if (mhz > 0 && !(lowest_ > 0 && lowest_ <= mhz)) lowest_ = mhz;
  }
  // `latest`: the reading that stands for a timing too short for one of its own; 0: there is none.
  double or_latest(double latest) const { return lowest_ > 0 ? lowest_ : latest; }

 private:
  double lowest_ = 0;
};

// How much longer a time is at the next lower SM clock; 0: the clock is not known. The clocks that NVML reported on an
// H100 and an H200 were 15 MHz apart, and a process may keep either of two neighbours for a quarter of a second
// (docs/notes/fresh-processes.md).
double clock_step_share(double sm_clock_mhz);

// The board holds its power limit by lowering the clock: the normal state of tensor kernels.
bool is_at_power_cap(std::uint64_t reasons);
// Heat, or the board's own protection (hardware slowdown, power brake): the machine is not well, and times taken
// meanwhile say little. The bits of such reasons; 0: none.
std::uint64_t fault_reasons(std::uint64_t reasons);

// "power cap, heat"; empty: nothing slows the device.
std::string throttle_text(std::uint64_t reasons);

} // namespace warptune
