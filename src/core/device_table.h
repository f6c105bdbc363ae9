// Limits of architectures by name, for choosing and explaining on a GPU that nobody has here (`explain --arch sm_80`).
// One well-known device stands for each; a real device's own limits always come from its driver.
#pragma once

#include "core/device.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// "sm_80", "sm_90a", "80" or "8.0". Nothing when the table does not know it.
std::optional<DeviceInfo> device_of_arch(std::string_view arch);

// The architecture of a GPU by a name that people use: "H100", "rtx 4090".
std::optional<DeviceInfo> device_of_gpu_name(std::string_view name);

std::vector<std::string> known_archs(); // "sm_70", ... rising

} // namespace warptune
