// Reads numbers from recorded launches: from an argument's bytes, and from template arguments in a demangled name.
// Pure.
#pragma once

#include "capture/records.h"
#include "core/dtype.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace warptune {

// These functions return nullopt if the argument's size does not match the dtype, or if the dtype is of the wrong kind.
// integer_of needs an integer type; real_of needs fp32 or fp64.
std::optional<std::int64_t> integer_of(const CapturedArgument& argument, DType dtype);
std::optional<double> real_of(const CapturedArgument& argument, DType dtype);

// Returns 4 for "4", "4u" and "(int)4", and 1 for "true" and "(bool)1". nullopt if the text is not an integer.
std::optional<std::int64_t> template_integer(std::string_view text);

} // namespace warptune
