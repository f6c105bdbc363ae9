// Whether a number fits into a floating-point type.
#pragma once

#include "core/dtype.h"

namespace warptune {

// Of a finite number: rounded to the type it is not beyond its largest finite value. True of infinities and NaN, which
// stay what they are.
bool dtype_holds_real(DType t, double value);

} // namespace warptune
