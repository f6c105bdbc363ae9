// The instructions of a cubin as text, from the toolkit's nvdisasm.
#pragma once

#include "core/pc_samples.h"
#include "core/result.h"

#include <string_view>

namespace warptune {

// Reads the output of `nvdisasm -c`. Lines that are not instructions are skipped.
SassText parse_nvdisasm(std::string_view text);

// Error (no_device): nvdisasm was not found, or it failed; the sentence says what to do.
Result<SassText> disassemble(std::string_view cubin);

} // namespace warptune
