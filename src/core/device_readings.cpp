#include "core/device_readings.h"

#include <array>

namespace warptune {
namespace {

struct ThrottleReason {
  std::uint64_t bit;
  const char* name;
};
constexpr double kClockStepMhz = 15;
constexpr std::uint64_t kPowerCap = 0x4;
constexpr std::uint64_t kFaults = 0x8 | 0x20 | 0x40 | 0x80;
// Idle clocks, requested clocks and a synchronised display do not count as throttling.
constexpr std::array<ThrottleReason, 5> kThrottleReasons = {{{kPowerCap, "power cap"},
                                                             {0x8, "hardware slowdown"},
                                                             {0x20, "heat"},
                                                             {0x40, "heat (hardware)"},
                                                             {0x80, "power brake"}}};

} // namespace

double clock_step_share(double sm_clock_mhz) { return sm_clock_mhz > 0 ? kClockStepMhz / sm_clock_mhz : 0; }

bool is_at_power_cap(std::uint64_t reasons) { return (reasons & kPowerCap) != 0; }

std::uint64_t fault_reasons(std::uint64_t reasons) { return reasons & kFaults; }

std::string throttle_text(std::uint64_t reasons) {
  std::string text;
  for (const ThrottleReason& reason : kThrottleReasons)
    if ((reasons & reason.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(reason.name);
  return text;
}

} // namespace warptune
