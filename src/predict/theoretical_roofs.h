// The theoretical roofs of a device from its clocks and units, shown next to measured ones or in their place. Knows
// architectures by their compute capability, not single products.
#pragma once

#include "core/device.h"

namespace warptune {

// Work per clock and SM times SMs times the highest clock; DRAM from its clock and bus. A roof is 0 if no source states
// its rate for the architecture, or if its clock is not known.
Roofs theoretical_roofs(const DeviceInfo& device);

} // namespace warptune
