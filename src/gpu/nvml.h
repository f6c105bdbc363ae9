// What NVML knows of a device while it works: clock, temperature, power, throttling. Optional: without libnvidia-ml
// every reading is absent and nothing else changes. Read-only: no setting of a device is ever touched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warptune {

struct DeviceReadings {
  double sm_clock_mhz = 0, temperature_c = 0, power_w = 0; // 0: not known
  std::uint64_t throttle_reasons = 0;                      // NVML's bits
  bool throttled = false;                                  // by power, heat or the board; idle clocks are no throttling
};

class NvmlDevice {
 public:
  // `uuid` as in DeviceInfo ("GPU-..."). Nothing when NVML or the device is not there.
  static std::optional<NvmlDevice> find(const std::string& uuid);
  DeviceReadings read() const; // tens of microseconds
  // Since the driver was loaded. Moves about every 100 ms, by what was used until shortly before; milliseconds a call.
  // Nothing: this device does not count energy.
  std::optional<double> energy_mj() const;
  std::optional<double> power_limit_w() const;

 private:
  explicit NvmlDevice(void* handle) : handle_(handle) {}
  void* handle_;
};

// "power cap, heat"; empty: nothing slows the device.
std::string throttle_text(std::uint64_t reasons);

std::string nvml_driver_version(); // "580.159.04" or empty

} // namespace warptune
