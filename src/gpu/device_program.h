// warptune's own kernels (fills, comparisons, flushes, roofs), compiled at their first use. This folder and the
// profiler contain no compiler, so the caller provides one.
#pragma once

#include "core/result.h"
#include "gpu/handles.h"
#include "plan/compile_request.h"

#include <array>
#include <functional>
#include <string>

namespace warptune {

// Compiles device code for the device in use, or finds it in a cache, and returns the cubin. Adds -arch by itself.
using CubinProvider = std::function<Result<std::string>(const CompileRequest&)>;

class DeviceProgram {
 public:
  DeviceProgram() = default;
  static Result<DeviceProgram> load(const Driver& driver, const CubinProvider& provider, const CompileRequest& request);
  Result<CUfunction> function(const char* name) const; // finds an extern "C" kernel

 private:
  const Driver* driver_ = nullptr;
  Module module_;
};

struct LaunchShape {
  Dim3 grid;
  unsigned threads = 1, shared_bytes = 0;
};

CUresult launch_raw(const Driver& driver, CUfunction function, const LaunchShape& shape, CUstream stream,
                    void** args) noexcept;

// Passes arguments by value. Their types must be exactly those of the kernel's parameters.
template <class... Args>
CUresult launch_kernel(const Driver& driver, CUfunction function, const LaunchShape& shape, CUstream stream,
                       Args... args) noexcept {
  std::array<void*, sizeof...(Args)> pointers = {const_cast<void*>(static_cast<const void*>(&args))...};
  return launch_raw(driver, function, shape, stream, pointers.data());
}

// Polls the event until `deadline_s`, so that a kernel that never ends cannot block the caller. Returns
// CUDA_ERROR_NOT_READY if the kernel was still running then.
CUresult wait_for_event(const Driver& driver, CUevent event, double deadline_s) noexcept;

} // namespace warptune
