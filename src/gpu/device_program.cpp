#include "gpu/device_program.h"

#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace warptune {

Result<DeviceProgram> DeviceProgram::load(const Driver& driver, const CubinProvider& provider,
                                          const CompileRequest& request) {
  WT_TRY(auto cubin, provider(request));
  WT_TRY(auto module, load_module(driver, cubin));
  DeviceProgram program;
  program.driver_ = &driver;
  program.module_ = std::move(module);
  return program;
}

Result<CUfunction> DeviceProgram::function(const char* name) const {
  CUfunction function = nullptr;
  const CUresult status = driver_->cuModuleGetFunction(&function, module_.get(), name);
  WT_CHECK(check_cuda(*driver_, status, fmt::format("cannot find the utility kernel {}", name)));
  return function;
}

CUresult launch_raw(const Driver& driver, CUfunction function, const LaunchShape& shape, CUstream stream,
                    void** args) noexcept {
  CUlaunchConfig config{};
  config.gridDimX = shape.grid.x;
  config.gridDimY = shape.grid.y;
  config.gridDimZ = shape.grid.z;
  config.blockDimX = shape.threads;
  config.blockDimY = 1;
  config.blockDimZ = 1;
  config.sharedMemBytes = shape.shared_bytes;
  config.hStream = stream;
  return driver.cuLaunchKernelEx(&config, function, args, nullptr);
}

CUresult wait_for_event(const Driver& driver, CUevent event, double deadline_s) noexcept {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (;;) {
    const CUresult status = driver.cuEventQuery(event);
    if (status != CUDA_ERROR_NOT_READY) return status;
    const std::chrono::duration<double> waited = Clock::now() - begin;
    if (waited.count() > deadline_s) return CUDA_ERROR_NOT_READY;
    // Spin at first, because a sleep takes longer than most kernels.
    if (waited.count() > 0.002) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

} // namespace warptune
