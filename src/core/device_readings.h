// DeviceReadings: values of a device's sensors while the device works. Also explains NVML's throttle reasons. Pure;
// src/gpu/nvml.h reads the sensors.
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

// The lowest SM clock of all readings during one timing, or during the rounds of the finals.
class LowestClock {
 public:
  void add(double mhz) { // 0: not known
    if (mhz > 0 && !(lowest_ > 0 && lowest_ <= mhz)) lowest_ = mhz;
  }
  // `latest`: an earlier reading in MHz, used if the timing was too short to read the clock; 0: none.
  double or_latest(double latest) const { return lowest_ > 0 ? lowest_ : latest; }

 private:
  double lowest_ = 0;
};

// Returns the fraction by which a kernel's time grows at the next lower SM clock; 0 if the clock is not known. On an
// H100 and an H200, NVML reported clocks in steps of 15 MHz. In its first 250 ms, a process may run at either of two
// neighbouring clocks (docs/notes/fresh-processes.md).
double clock_step_share(double sm_clock_mhz);

// Whether the board lowers its clock to keep its power limit. Tensor kernels normally run in this state.
bool is_at_power_cap(std::uint64_t reasons);
// Returns the bits of those reasons that are faults: heat, and the board's protection (hardware slowdown, power brake).
// Times taken during a fault are not reliable. 0: no fault.
std::uint64_t fault_reasons(std::uint64_t reasons);

// Names the reasons: "power cap, heat". Empty if nothing slows the device.
std::string throttle_text(std::uint64_t reasons);

} // namespace warptune
