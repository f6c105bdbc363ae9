// The theoretical roofs of a device, from its clocks and numbers of units. They are shown next to measured roofs or in
// their place. Only the compute capability identifies the device, so products of one architecture are treated alike.
#pragma once

#include "core/device.h"

namespace warptune {

// A roof is the work per clock and SM, times the number of SMs, times the highest clock. The DRAM roof is from the
// memory clock and the bus width. A roof is 0 if its clock is not known, or if no published source states the
// architecture's rate.
Roofs theoretical_roofs(const DeviceInfo& device);

} // namespace warptune
