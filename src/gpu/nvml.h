// NVML's readings of a device while it works: clock, temperature, power, throttling. Optional: without libnvidia-ml
// every reading is absent and nothing else changes. Only reads; never changes a device setting.
#pragma once

#include "core/device_readings.h"

#include <optional>
#include <string>

namespace warptune {

class NvmlDevice {
 public:
  // `uuid`: as in DeviceInfo ("GPU-..."). Returns nullopt if NVML or the device is not found.
  static std::optional<NvmlDevice> find(const std::string& uuid);
  DeviceReadings read() const; // takes tens of microseconds
  // Returns the energy in mJ since the driver was loaded; nullopt if this device does not count energy. The counter is
  // updated about every 100 ms and lags slightly; a call takes milliseconds.
  std::optional<double> energy_mj() const;
  std::optional<double> power_limit_w() const;

 private:
  explicit NvmlDevice(void* handle) : handle_(handle) {}
  void* handle_;
};

std::string nvml_driver_version(); // "580.159.04" or empty

} // namespace warptune
