// The instructions of a cubin as text, from the toolkit's nvdisasm.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace warptune {

// Function and offset from its first instruction in bytes -> "LDG.E R2, desc[UR4][R2.64]".
using SassText = std::map<std::pair<std::string, std::int64_t>, std::string>;

// Reads the output of `nvdisasm -c`. Lines that are not instructions are skipped.
SassText parse_nvdisasm(std::string_view text);

// Error (no_device): nvdisasm was not found, or it failed; the sentence says what to do.
Result<SassText> disassemble(std::string_view cubin);

} // namespace warptune
