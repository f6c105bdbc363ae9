// An opened CUDA device with the objects that a process makes once: context, stream, utility kernels, timer.
#pragma once

#include "core/device.h"
#include "cuda/early_compiles.h"
#include "gpu/device_tools.h"
#include "jit/cubin_cache.h"
#include "profiler/device_timer.h"

#include <memory>

namespace warptune {

struct CudaDevice {
  // Error (no_device): there is no driver or no such device, or the driver cannot load the cubins that this NVRTC
  // compiles. `kernel` and `problem`: if already known, the programs that they need are compiled while the device is
  // being opened.
  static Result<std::unique_ptr<CudaDevice>> open(int ordinal, const CubinCache& cache, const Kernel* kernel = nullptr,
                                                  const Problem* problem = nullptr);

  // Set when a launch did not end. Destroying the handles would wait for it forever, so they must be abandoned.
  bool hung = false;
  // Returns the fault that broke the context, or success. Waits for the stream.
  CUresult find_fault() const;

  DeviceInfo info;
  std::shared_ptr<EarlyCompiles> early;
  Context context;
  CubinProvider provider;
  Stream stream;
  Event begun, done; // before and after a single launch
  DeviceTools tools;
  DeviceTimer timer;
  const Driver& driver() const { return context.driver(); }
};

// Describes the device for tuning: `arch` is the architecture for which the installed NVRTC should compile.
Result<DeviceInfo> query_tunable_device(int ordinal);

} // namespace warptune
