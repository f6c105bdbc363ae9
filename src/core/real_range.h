// Checks whether a number is in the range of a floating-point type.
#pragma once

#include "core/dtype.h"

namespace warptune {

// Whether the number, rounded to the type, is finite. Also true for infinities and NaN, which rounding does not change.
bool dtype_holds_real(DType t, double value);

} // namespace warptune
