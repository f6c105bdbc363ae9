// For each architecture, the limits of one well-known device. This table is used to select and explain configurations
// for a GPU that is not in this machine (`explain --arch sm_80`). The limits of a GPU in this machine come from the
// driver.
#pragma once

#include "core/device.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// `arch`: "sm_80", "sm_90a", "80" or "8.0". Returns nullopt if the architecture is not in the table.
std::optional<DeviceInfo> device_of_arch(std::string_view arch);

// Like the function above, but also accepts common names of GPUs: "H100", "rtx 4090".
std::optional<DeviceInfo> device_of_arch_or_gpu(std::string_view name);

std::vector<std::string> known_archs(); // "sm_70", ... in ascending order

} // namespace warptune
