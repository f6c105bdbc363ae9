// NVML's readings of a device while it works: clock, temperature, power, throttling. Optional: without libnvidia-ml
// every reading is absent and nothing else changes. Only reads: never changes a setting of a device.
#pragma once

#include "core/device_readings.h"

#include <optional>
#include <string>

namespace warptune {

class NvmlDevice {
 public:
  // `uuid` as in DeviceInfo ("GPU-..."). nullopt if NVML or the device is not found.
  static std::optional<NvmlDevice> find(const std::string& uuid);
  DeviceReadings read() const; // takes tens of microseconds
  // Returns the energy since the driver was loaded. The counter is updated about every 100 ms and lags slightly behind;
  // a call takes milliseconds. nullopt: this device does not count energy.
  std::optional<double> energy_mj() const;
  std::optional<double> power_limit_w() const;

 private:
  explicit NvmlDevice(void* handle) : handle_(handle) {}
  void* handle_;
};

std::string nvml_driver_version(); // "580.159.04" or empty

} // namespace warptune
