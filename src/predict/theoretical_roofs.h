// The roofs that a device's clocks and units promise, for showing beside measured ones and where nobody measured.
// Knows architectures by their compute capability, no single product.
#pragma once

#include "core/device.h"

namespace warptune {

// Work per clock and SM times SMs times the highest clock; DRAM from its clock and bus. What no source states for the
// architecture, or what needs a clock that is not known, is 0.
Roofs theoretical_roofs(const DeviceInfo& device);

} // namespace warptune
