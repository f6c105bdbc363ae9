// An opened CUDA device with the objects that are made once per process: context, stream, utility kernels, timer,
// readings.
#pragma once

#include "core/device.h"
#include "cuda/early_compiles.h"
#include "gpu/device_tools.h"
#include "gpu/launch.h"
#include "jit/cubin_cache.h"
#include "profiler/device_timer.h"

#include <memory>

namespace warptune {

struct CudaDevice {
  // Errors of kind no_device: no driver, no such device, or a driver that cannot load the output of this NVRTC.
  // `kernel` and `problem`, if already known: their programs are compiled while the device is opened.
  static Result<std::unique_ptr<CudaDevice>> open(int ordinal, const CubinCache& cache, const Kernel* kernel = nullptr,
                                                  const Problem* problem = nullptr);

  // Set if a launch never ended: waiting for it would hang, so the handles must be abandoned.
  bool hung = false;
  // Returns the fault that broke the context, or success. Waits for the stream.
  CUresult find_fault() const;

  DeviceInfo info;
  std::shared_ptr<EarlyCompiles> early;
  Context context;
  CubinProvider provider;
  Stream stream;
  Event begun, done; // around a single launch
  DeviceTools tools;
  DeviceTimer timer;
  const Driver& driver() const { return context.driver(); }
};

// Returns the device's description for tuning: `arch` is the architecture to request from this NVRTC.
Result<DeviceInfo> query_tunable_device(int ordinal);

} // namespace warptune
