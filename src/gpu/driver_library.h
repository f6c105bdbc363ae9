// The library "driver": the CUDA driver's own copies and fills. It is always available.
#pragma once

#include "gpu/vendor_library.h"

namespace warptune {

const VendorLibrary& driver_library();

} // namespace warptune
