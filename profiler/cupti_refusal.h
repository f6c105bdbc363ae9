// Sentences for users: why a device provides no counters or samples, and what to do.
#pragma once

#include "profiler/cupti_library.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace warptune {

std::string cupti_refusal(const CuptiLibrary& cupti, CUptiResult status);
// Returns an error (no_device) unless `status` is success: "cannot sample instructions: the driver restricts ...".
Result<void> check_cupti(const CuptiLibrary& cupti, CUptiResult status, const char* what);

// Returns the checksum by which CUPTI's samples and counts identify their cubin. `what` follows "cannot" in the error:
// "identify the sampled cubin".
Result<std::uint64_t> cubin_checksum(const CuptiLibrary& cupti, std::string_view cubin, const char* what);

// Returns why the hardware or its virtualisation does not support the API; empty: supported. Uses no counter.
std::string cupti_unsupported(const CuptiLibrary& cupti, CUdevice device, CUpti_Profiler_API api);

} // namespace warptune
