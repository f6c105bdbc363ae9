// The CUDA driver as a table of functions that is loaded at run time. Nothing links to libcuda, so every program starts
// without a driver and can report what is missing. All code of src/gpu and above calls the driver only through this
// table.
#pragma once

#include "core/result.h"

#include <cuda.h>
#include <string>

namespace warptune {

// Since CUDA 12.0 the driver has all these functions, with unchanged signatures.
#define WT_DRIVER_FUNCTIONS(X)                                                                                         \
  X(cuInit)                                                                                                            \
  X(cuDriverGetVersion)                                                                                                \
  X(cuDeviceGet)                                                                                                       \
  X(cuDeviceGetCount)                                                                                                  \
  X(cuDeviceGetName)                                                                                                   \
  X(cuDeviceGetUuid)                                                                                                   \
  X(cuDeviceGetAttribute)                                                                                              \
  X(cuDeviceTotalMem)                                                                                                  \
  X(cuDevicePrimaryCtxRetain)                                                                                          \
  X(cuDevicePrimaryCtxRelease)                                                                                         \
  X(cuCtxSetCurrent)                                                                                                   \
  X(cuCtxGetCurrent)                                                                                                   \
  X(cuCtxGetDevice)                                                                                                    \
  X(cuCtxGetId)                                                                                                        \
  X(cuCtxSynchronize)                                                                                                  \
  X(cuGetErrorName)                                                                                                    \
  X(cuGetErrorString)                                                                                                  \
  X(cuMemAlloc)                                                                                                        \
  X(cuMemFree)                                                                                                         \
  X(cuMemGetInfo)                                                                                                      \
  X(cuMemHostAlloc)                                                                                                    \
  X(cuMemFreeHost)                                                                                                     \
  X(cuMemHostGetDevicePointer)                                                                                         \
  X(cuMemcpyHtoDAsync)                                                                                                 \
  X(cuMemcpyDtoHAsync)                                                                                                 \
  X(cuMemcpyDtoDAsync)                                                                                                 \
  X(cuMemsetD8Async)                                                                                                   \
  X(cuMemsetD32Async)                                                                                                  \
  X(cuMemsetD2D8Async)                                                                                                 \
  X(cuStreamCreate)                                                                                                    \
  X(cuStreamDestroy)                                                                                                   \
  X(cuStreamSynchronize)                                                                                               \
  X(cuStreamQuery)                                                                                                     \
  X(cuStreamIsCapturing)                                                                                               \
  X(cuThreadExchangeStreamCaptureMode)                                                                                 \
  X(cuEventCreate)                                                                                                     \
  X(cuEventDestroy)                                                                                                    \
  X(cuEventRecord)                                                                                                     \
  X(cuEventQuery)                                                                                                      \
  X(cuEventSynchronize)                                                                                                \
  X(cuEventElapsedTime)                                                                                                \
  X(cuModuleLoadDataEx)                                                                                                \
  X(cuModuleUnload)                                                                                                    \
  X(cuModuleGetFunction)                                                                                               \
  X(cuModuleGetGlobal)                                                                                                 \
  X(cuFuncGetAttribute)                                                                                                \
  X(cuFuncSetAttribute)                                                                                                \
  X(cuLaunchKernelEx)                                                                                                  \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                                                       \
  X(cuOccupancyMaxActiveClusters)                                                                                      \
  X(cuTensorMapEncodeTiled)                                                                                            \
  X(cuTensorMapEncodeIm2col)

struct Driver {
#define X(name) decltype(&::name) name = nullptr; // NOLINT(bugprone-macro-parentheses): declares a member
  WT_DRIVER_FUNCTIONS(X)
#undef X
  int version = 0; // the newest CUDA version that the driver supports: 13000
};

// Finds and initialises the driver, once per process. WARPTUNE_LIBCUDA names another library, for tests. Errors are of
// kind no_device: no driver library, a driver that is too old, or no usable device.
Result<const Driver*> load_driver();

// Returns "CUDA_ERROR_INVALID_VALUE (invalid argument)".
std::string cuda_error_text(const Driver& driver, CUresult status);

// Returns an error unless `status` is success. The message begins with `what`: "cannot allocate 4.0 GiB".
Result<void> check_cuda(const Driver& driver, CUresult status, const std::string& what);

// Like check_cuda, for the status of loading a program. Kind no_device if an earlier fault has broken the context,
// no_candidate if the cubin cannot be used on this device.
Result<void> check_load(const Driver& driver, CUresult status, const std::string& what);

// Returns "no device cuda:7: this machine has only cuda:0".
std::string no_such_device_text(int ordinal, int count);

// Whether the error destroys the context, so that all later CUDA calls of this process fail (see CUDA's documentation).
bool is_fatal_cuda_error(CUresult status);

} // namespace warptune
