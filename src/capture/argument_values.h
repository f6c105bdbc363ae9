// Numbers of launches: the bytes of an argument, and template arguments as a demangled name has them. Pure.
#pragma once

#include "capture/records.h"
#include "core/dtype.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace warptune {

// nullopt: a type of the other kind, or of another size.
std::optional<std::int64_t> integer_of(const CapturedArgument& argument, DType dtype);
std::optional<double> real_of(const CapturedArgument& argument, DType dtype); // fp32 and fp64

// 4 of "4", "4u" and "(int)4"; 1 of "true" and "(bool)1". nullopt: not an integer.
std::optional<std::int64_t> template_integer(std::string_view text);

} // namespace warptune
