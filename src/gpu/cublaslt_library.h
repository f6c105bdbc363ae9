// The vendor library "cublaslt": matrix products by cuBLASLt, which is opened from the CUDA Toolkit or a Python
// environment.
#pragma once

#include "gpu/vendor_library.h"

namespace warptune {

const VendorLibrary& cublaslt_library();

} // namespace warptune
