// Finds the source line of an instruction in a cubin that was compiled with -lineinfo, through CUPTI. Needs no device.
#pragma once

#include "core/pc_samples.h"
#include "core/result.h"

#include <string_view>

namespace warptune {

// Fills in the files and lines of all instructions. They stay empty if the cubin has no line information for them.
// Error (no_device): CUPTI is missing.
Result<void> find_source_lines(PcSamples& samples, std::string_view cubin);

} // namespace warptune
