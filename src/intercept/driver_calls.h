// The few CUDA driver functions that the recording library calls itself, from the application's own libcuda.
#pragma once

#include <cuda.h>

namespace warptune::intercept {

#define WT_INTERCEPT_DRIVER_FUNCTIONS(X)                                                                               \
  X(cuDriverGetVersion)                                                                                                \
  X(cuPointerGetAttributes)                                                                                            \
  X(cuStreamIsCapturing)                                                                                               \
  X(cuStreamQuery)                                                                                                     \
  X(cuStreamCreate)                                                                                                    \
  X(cuThreadExchangeStreamCaptureMode)

struct DriverCalls {
#define X(name) decltype(&::name) name = nullptr; // NOLINT(bugprone-macro-parentheses): declares a member
  WT_INTERCEPT_DRIVER_FUNCTIONS(X)
#undef X
  CUresult (*copy_to_host)(void*, CUdeviceptr, std::size_t, CUstream) = nullptr;
  CUresult (*destroy_stream)(CUstream) = nullptr;
  // Since CUDA 12.4; null in older drivers.
  CUresult (*function_param)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;
  CUresult (*kernel_param)(CUkernel, std::size_t, std::size_t*, std::size_t*) = nullptr;
};

// Returns null if no libcuda is loaded, or if a function is missing.
const DriverCalls* driver_calls();

} // namespace warptune::intercept
