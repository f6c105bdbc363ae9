// The vendor library "driver": copies and fills by the CUDA driver itself. It is always available.
#pragma once

#include "gpu/vendor_library.h"

namespace warptune {

const VendorLibrary& driver_library();

} // namespace warptune
