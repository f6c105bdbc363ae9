// Which CUDA devices there are and what they can do. Creates no context, so a coordinator may ask.
#pragma once

#include "core/device.h"
#include "core/result.h"

#include <vector>

namespace warptune {

// DeviceInfo::compiler and roofs are left empty; arch is the device's own ("sm_90a"), whatever a compiler may know.
Result<DeviceInfo> query_cuda_device(int ordinal);

// The device of the calling thread's current context. Kind no_device without a driver or a context.
Result<DeviceInfo> current_cuda_device();

// In the order of their ordinals. Kind no_device without a driver or a device.
Result<std::vector<DeviceInfo>> list_cuda_devices();

} // namespace warptune
