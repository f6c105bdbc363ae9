// Fills inputs from the trial's seed. The device draws random values; the CPU computes lists, and formulas of the
// element index.
#pragma once

#include "core/device.h"
#include "gpu/device_tools.h"
#include "plan/plan.h"

#include <cstdint>

namespace warptune {

// `position`: the argument's position, which makes two buffers of one trial differ.
Result<void> fill_buffer(DeviceTools& tools, const Driver& driver, const KernelSpec& spec, const Problem& problem,
                         const DeviceInfo& device, const BufferPlan& buffer, CUdeviceptr data, std::uint64_t seed,
                         std::size_t position, CUstream stream);

} // namespace warptune
