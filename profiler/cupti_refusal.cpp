#include "profiler/cupti_refusal.h"

#include "profiler/cupti_info.h"

#include <fmt/format.h>
#include <utility>

namespace warptune {

std::string cupti_refusal(const CuptiLibrary& cupti, CUptiResult status) {
  switch (status) {
  case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    return fmt::format("the driver restricts hardware counters to administrators; {}", kPermissionAdvice);
  case CUPTI_ERROR_HARDWARE_BUSY:
    return "another program uses the hardware counters of this device (Nsight Compute, DCGM or another profiler); end "
           "it and try again";
  case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
  case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    return "this GPU is virtual, and its host does not allow hardware counters; ask the host's administrator to enable "
           "profiling for "
           "the virtual GPU";
  default:
    return fmt::format("CUPTI {} cannot read counters on this device: {}; times and tuning need no counters",
                       cupti.version, cupti_error_text(cupti, status));
  }
}

Result<void> check_cupti(const CuptiLibrary& cupti, CUptiResult status, const char* what) {
  if (status == CUPTI_SUCCESS) return {};
  return fail(ErrorKind::no_device, fmt::format("cannot {}: {}", what, cupti_refusal(cupti, status)));
}

Result<std::uint64_t> cubin_checksum(const CuptiLibrary& cupti, std::string_view cubin, const char* what) {
  WT_CUPTI_SAMPLING_PARAMS(CUpti_GetCubinCrc, params);
  params.cubin = cubin.data();
  params.cubinSize = cubin.size();
  WT_CHECK(check_cupti(cupti, cupti.cuptiGetCubinCrc(&params), what));
  return params.cubinCrc;
}

std::string cupti_unsupported(const CuptiLibrary& cupti, CUdevice device, CUpti_Profiler_API api) {
  WT_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported, params);
  params.cuDevice = device;
  params.api = api;
  if (const auto status = cupti.cuptiProfilerDeviceSupported(&params); status != CUPTI_SUCCESS)
    return cupti_refusal(cupti, status);
  if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return {};
  const std::pair<CUpti_Profiler_Support_Level, const char*> parts[] = {
      {params.architecture, "its architecture"},
      {params.vGpu, "a virtual GPU without profiling"},
      {params.confidentialCompute, "confidential computing"},
      {params.sli, "SLI"},
      {params.cmp, "a mining card"},
      {params.wsl, "WSL"},
  };
  for (const auto& [level, what] : parts)
    if (level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED || level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
      return fmt::format(
          "CUPTI {} cannot read counters on this device because of {}; times and tuning need no counters",
          cupti.version, what);
  return fmt::format("CUPTI {} does not support this device; times and tuning need no counters", cupti.version);
}

} // namespace warptune
