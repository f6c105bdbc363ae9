#include "gpu/nvml.h"

#include <array>
#include <dlfcn.h>

namespace warptune {
namespace {

// Some toolkit installations lack nvml.h; these few prototypes have been stable since NVML 2.
constexpr int kSuccess = 0;
constexpr unsigned kClockSm = 1;
constexpr unsigned kTemperatureGpu = 0;

struct Nvml {
  int (*init)() = nullptr;
  int (*device_by_uuid)(const char*, void**) = nullptr;
  int (*clock)(void*, unsigned, unsigned*) = nullptr;
  int (*temperature)(void*, unsigned, unsigned*) = nullptr;
  int (*power)(void*, unsigned*) = nullptr;
  int (*reasons)(void*, unsigned long long*) = nullptr;
  int (*energy)(void*, unsigned long long*) = nullptr;
  int (*power_limit)(void*, unsigned*) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
};

template <class F> void find_symbol(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
}

// Initialised once, and never shut down.
const Nvml* load_nvml() {
  static const Nvml* loaded = []() -> const Nvml* {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    static Nvml nvml;
    find_symbol(library, "nvmlInit_v2", nvml.init);
    find_symbol(library, "nvmlDeviceGetHandleByUUID", nvml.device_by_uuid);
    find_symbol(library, "nvmlDeviceGetClockInfo", nvml.clock);
    find_symbol(library, "nvmlDeviceGetTemperature", nvml.temperature);
    find_symbol(library, "nvmlDeviceGetPowerUsage", nvml.power);
    find_symbol(library, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml.reasons);
    find_symbol(library, "nvmlDeviceGetTotalEnergyConsumption", nvml.energy);
    find_symbol(library, "nvmlDeviceGetEnforcedPowerLimit", nvml.power_limit);
    find_symbol(library, "nvmlSystemGetDriverVersion", nvml.driver_version);
    if (nvml.init == nullptr || nvml.device_by_uuid == nullptr || nvml.init() != kSuccess) return nullptr;
    return &nvml;
  }();
  return loaded;
}

} // namespace

std::optional<NvmlDevice> NvmlDevice::find(const std::string& uuid) {
  const Nvml* nvml = load_nvml();
  void* handle = nullptr;
  if (nvml == nullptr || nvml->device_by_uuid(uuid.c_str(), &handle) != kSuccess) return std::nullopt;
  return NvmlDevice(handle);
}

DeviceReadings NvmlDevice::read() const {
  const Nvml& nvml = *load_nvml();
  DeviceReadings readings;
  unsigned value = 0;
  if (nvml.clock != nullptr && nvml.clock(handle_, kClockSm, &value) == kSuccess) readings.sm_clock_mhz = value;
  if (nvml.temperature != nullptr && nvml.temperature(handle_, kTemperatureGpu, &value) == kSuccess)
    readings.temperature_c = value;
  if (nvml.power != nullptr && nvml.power(handle_, &value) == kSuccess) readings.power_w = value / 1000.0;
  unsigned long long reasons = 0;
  if (nvml.reasons != nullptr && nvml.reasons(handle_, &reasons) == kSuccess) readings.throttle_reasons = reasons;
  return readings;
}

std::optional<double> NvmlDevice::energy_mj() const {
  const Nvml& nvml = *load_nvml();
  unsigned long long value = 0;
  if (nvml.energy == nullptr || nvml.energy(handle_, &value) != kSuccess) return std::nullopt;
  return static_cast<double>(value);
}

std::optional<double> NvmlDevice::power_limit_w() const {
  const Nvml& nvml = *load_nvml();
  unsigned value = 0;
  if (nvml.power_limit == nullptr || nvml.power_limit(handle_, &value) != kSuccess) return std::nullopt;
  return value / 1000.0;
}

std::string nvml_driver_version() {
  const Nvml* nvml = load_nvml();
  std::array<char, 96> text{};
  if (nvml == nullptr || nvml->driver_version == nullptr ||
      nvml->driver_version(text.data(), static_cast<unsigned>(text.size())) != kSuccess)
    return {};
  return text.data();
}

} // namespace warptune
