// Why a device gives no counters or samples, as sentences with what to do.
#pragma once

#include "profiler/cupti_library.h"

#include <string>

namespace warptune {

std::string cupti_refusal(const CuptiLibrary& cupti, CUptiResult status);

// Checks what the hardware and its virtualisation allow, before any counter is touched. Empty: they allow it.
std::string cupti_unsupported(const CuptiLibrary& cupti, CUdevice device, CUpti_Profiler_API api);

} // namespace warptune
