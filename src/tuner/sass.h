// Gets the instructions of a cubin as text from nvdisasm of the CUDA Toolkit.
#pragma once

#include "core/pc_samples.h"
#include "core/result.h"

#include <string_view>

namespace warptune {

// Parses the output of `nvdisasm -c`. Skips lines that are not instructions.
SassText parse_nvdisasm(std::string_view text);

// Error (no_device): nvdisasm was not found, or it failed; the message says what to do.
Result<SassText> disassemble(std::string_view cubin);

} // namespace warptune
