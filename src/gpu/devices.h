// Lists the CUDA devices and their properties. Creates no CUDA context, so the coordinator process may call it.
#pragma once

#include "core/device.h"
#include "core/result.h"

#include <vector>

namespace warptune {

// Leaves DeviceInfo::compiler and DeviceInfo::roofs empty. DeviceInfo::arch is the device's own ("sm_90a"), even if the
// installed compiler does not support it.
Result<DeviceInfo> query_cuda_device(int ordinal);

// Describes the device of the calling thread's current context. Error (no_device): there is no driver or no context.
Result<DeviceInfo> current_cuda_device();

// Lists the devices by ordinal. Error (no_device): there is no driver or no device.
Result<std::vector<DeviceInfo>> list_cuda_devices();

} // namespace warptune
