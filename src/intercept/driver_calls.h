// The few functions of the CUDA driver that the library calls itself, found in the application's libcuda.
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

// Null if no libcuda is loaded or a function is missing.
const DriverCalls* driver_calls();

} // namespace warptune::intercept
