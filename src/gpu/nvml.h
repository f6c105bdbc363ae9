// Reads a device's sensors with NVML during work: clock, temperature, power, throttling. NVML is optional: without
// libnvidia-ml the readings are absent and everything else works. Never changes a device setting.
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
  // Returns the energy in mJ since the driver was loaded; nullopt if the device does not count energy. The device
  // updates the counter about every 100 ms, slightly late. A call takes milliseconds.
  std::optional<double> energy_mj() const;
  std::optional<double> power_limit_w() const;

 private:
  explicit NvmlDevice(void* handle) : handle_(handle) {}
  void* handle_;
};

std::string nvml_driver_version(); // "580.159.04"; empty if not known

} // namespace warptune
