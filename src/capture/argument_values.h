// Reads numbers from launches: from the bytes of an argument, and from template arguments in a demangled name. Pure.
#pragma once

#include "capture/records.h"
#include "core/dtype.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace warptune {

// nullopt if the argument's size is not the dtype's, or the dtype is of the other kind (integer, floating-point).
std::optional<std::int64_t> integer_of(const CapturedArgument& argument, DType dtype);
std::optional<double> real_of(const CapturedArgument& argument, DType dtype); // fp32 and fp64

// Returns 4 for "4", "4u" and "(int)4", 1 for "true" and "(bool)1"; nullopt if the text is not an integer.
std::optional<std::int64_t> template_integer(std::string_view text);

} // namespace warptune
