// Lists the CUDA devices and their properties. Creates no context, so the coordinator may call it.
#pragma once

#include "core/device.h"
#include "core/result.h"

#include <vector>

namespace warptune {

// DeviceInfo::compiler and DeviceInfo::roofs stay empty. DeviceInfo::arch is the device's own ("sm_90a"), even if no
// compiler supports it.
Result<DeviceInfo> query_cuda_device(int ordinal);

// Describes the device of the calling thread's current context. Kind no_device without a driver or a context.
Result<DeviceInfo> current_cuda_device();

// Lists the devices in the order of their ordinals. Kind no_device without a driver or a device.
Result<std::vector<DeviceInfo>> list_cuda_devices();

} // namespace warptune
