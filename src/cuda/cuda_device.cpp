#include "cuda/cuda_device.h"

#include "gpu/devices.h"
#include "jit/cached_compile.h"

#include <fmt/format.h>
#include <future>

namespace warptune {
namespace {

// A cubin requires a driver of the same or a newer major version of CUDA.
Result<void> check_driver_fits(const DeviceInfo& info) {
  WT_TRY(auto driver, load_driver());
  WT_TRY(auto nvrtc, find_nvrtc());
  const int version = driver->version;
  if (version / 1000 >= nvrtc.major) return {};
  return fail(
      ErrorKind::no_device,
      fmt::format("the NVIDIA driver ({}) is too old for the CUDA Toolkit: it supports CUDA {}.{}, but cannot load "
                  "kernels that NVRTC {}.{} compiled; install a newer driver, or name an older toolkit with "
                  "CUDA_HOME or WARPTUNE_NVRTC",
                  info.driver, version / 1000, version % 1000 / 10, nvrtc.major, nvrtc.minor));
}

} // namespace

Result<DeviceInfo> query_tunable_device(int ordinal) {
  auto info = query_cuda_device(ordinal);
  if (!info) return info;
  WT_CHECK(check_driver_fits(*info));
  WT_TRY(auto arch, supported_arch(info->arch));
  info->arch = std::move(arch);
  info->compiler = compiler_name();
  return info;
}

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(int ordinal, const CubinCache& cache, const Kernel* kernel,
                                                     const Problem* problem) {
  WT_TRY(auto info, query_tunable_device(ordinal));
  const CubinProvider compiler = make_cubin_provider(cache, info.arch);
  ProblemPrograms programs;
  if (kernel != nullptr && problem != nullptr) programs = find_programs(*kernel, *problem, info);
  for (CompileRequest& request : DeviceTimer::programs()) programs.utilities.push_back(std::move(request));
  const auto early =
      std::make_shared<EarlyCompiles>(compiler, cache, std::move(programs.utilities), std::move(programs.complete));
  auto nvml = std::async(std::launch::async, [uuid = info.uuid] { return NvmlDevice::find(uuid); });
  WT_TRY(auto context, Context::open(ordinal));
  const Driver& driver = context.driver();
  CubinProvider provider = [early, compiler](const CompileRequest& request) {
    early->wait(request);
    return compiler(request);
  };
  WT_TRY(auto stream, make_stream(driver));
  WT_TRY(auto begun, make_event(driver));
  WT_TRY(auto done, make_event(driver));
  WT_TRY(auto tools, DeviceTools::make(driver, provider));
  WT_TRY(auto timer, DeviceTimer::make(driver, provider, info.limits, nvml.get()));
  // NOLINTNEXTLINE(modernize-make-unique): an aggregate
  return std::unique_ptr<CudaDevice>(new CudaDevice{false, std::move(info), early, std::move(context),
                                                    std::move(provider), std::move(stream), std::move(begun),
                                                    std::move(done), std::move(tools), std::move(timer)});
}

CUresult CudaDevice::find_fault() const {
  const CUresult status = driver().cuStreamSynchronize(stream.get());
  return is_fatal_cuda_error(status) ? status : CUDA_SUCCESS;
}

} // namespace warptune
