// Guesses how to fill an input with random values that resemble the contents of a captured buffer.
#pragma once

#include "core/dtype.h"

#include <string>
#include <vector>

namespace warptune {

// Returns "fill" of spec.json as JSON: {"integers": [0, 511]}, {"uniform": [-1, 1]}, {"constant": 3}. Empty: use the
// default, because there is no finite element, the type has no such fill, or all real numbers are equal.
std::string guess_fill(DType dtype, const std::vector<char>& contents);

} // namespace warptune
