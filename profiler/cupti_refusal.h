// Sentences that say why a device provides no counters or samples, and what to do.
#pragma once

#include "profiler/cupti_library.h"

#include <string>

namespace warptune {

std::string cupti_refusal(const CuptiLibrary& cupti, CUptiResult status);

// Returns why the hardware or its virtualisation does not support the API, without touching any counter; empty if it
// does.
std::string cupti_unsupported(const CuptiLibrary& cupti, CUdevice device, CUpti_Profiler_API api);

} // namespace warptune
