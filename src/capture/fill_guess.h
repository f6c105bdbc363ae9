// Guesses a random fill whose values resemble the captured contents of an input buffer.
#pragma once

#include "core/dtype.h"

#include <string>
#include <string_view>

namespace warptune {

// Returns a `fill` for spec.json as JSON: {"integers": [0, 511]}, {"uniform": [-1, 1]} or {"constant": 3}. Empty means
// the default: there is no finite element, spec.json has no fill for the type, or all real numbers are equal.
std::string guess_fill(DType dtype, std::string_view contents);

} // namespace warptune
