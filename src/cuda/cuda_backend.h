// The Backend for CUDA devices: driver API, NVRTC, and verification and timing on the device. Each part is opened at
// its first use, so making a backend is cheap and needs no driver.
#pragma once

#include "worker/backend.h"

namespace warptune {

Result<std::unique_ptr<Backend>> make_cuda_backend(int ordinal, const std::string& cache_directory);

} // namespace warptune
