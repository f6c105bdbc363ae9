// Utility kernels that the project itself runs on a device (fills, comparisons, flushes, roofs), compiled when they are
// first needed. This folder and the profiler contain no compiler; the caller provides one.
#pragma once

#include "core/result.h"
#include "gpu/handles.h"
#include "plan/compile_request.h"

#include <array>
#include <functional>
#include <string>
#include <string_view>

namespace warptune {

// Compiles device code for the device in use, or finds it in a cache; adds -arch itself. Returns the cubin.
using CubinProvider = std::function<Result<std::string>(const CompileRequest&)>;

class DeviceProgram {
 public:
  DeviceProgram() = default;
  static Result<DeviceProgram> load(const Driver& driver, const CubinProvider& provider, const CompileRequest& request);
  Result<CUfunction> function(const char* name) const; // an extern "C" kernel

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

// Arguments are passed by value and must have exactly the types of the kernel's parameters.
template <class... Args>
CUresult launch_kernel(const Driver& driver, CUfunction function, const LaunchShape& shape, CUstream stream,
                       Args... args) noexcept {
  std::array<void*, sizeof...(Args)> pointers = {const_cast<void*>(static_cast<const void*>(&args))...};
  return launch_raw(driver, function, shape, stream, pointers.data());
}

// Polls, so that a kernel that never ends does not block the caller. CUDA_ERROR_NOT_READY: the kernel was still running
// at the deadline.
CUresult wait_for_event(const Driver& driver, CUevent event, double deadline_s) noexcept;

} // namespace warptune
