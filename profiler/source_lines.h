// Finds the source lines of instructions in a cubin compiled with -lineinfo, with CUPTI. Needs no device.
#pragma once

#include "core/pc_samples.h"
#include "core/result.h"

#include <string_view>

namespace warptune {

// Sets the file and line of each instruction. They stay empty where the cubin has no line information. Error
// (no_device): CUPTI is missing.
Result<void> find_source_lines(PcSamples& samples, std::string_view cubin);

} // namespace warptune
