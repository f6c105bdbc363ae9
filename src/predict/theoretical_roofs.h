// The theoretical roofs of a device from its clocks and units, shown next to measured ones or in their place.
// Distinguishes architectures by their compute capability, but not individual products.
#pragma once

#include "core/device.h"

namespace warptune {

// A roof is the work per clock and SM, times the number of SMs, times the highest clock; for DRAM, it follows from
// clock and bus width. A roof is 0 if no source states its rate for the architecture, or if its clock is not known.
Roofs theoretical_roofs(const DeviceInfo& device);

} // namespace warptune
