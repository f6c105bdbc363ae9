#include "core/real_range.h"

#include <cmath>

namespace warptune {
namespace {

// The smallest magnitude that rounds to infinity: half a unit in the last place above the largest value. The largest
// value of fp8_e4m3 is even, so there the tie itself rounds down.
double limit_of(DType t) {
  switch (t) {
  case DType::fp32:
  case DType::tf32: // passed to kernels as fp32
    return std::ldexp(2 - std::ldexp(1.0, -24), 127);
  case DType::bf16:
    return std::ldexp(2 - std::ldexp(1.0, -8), 127);
  case DType::fp16:
    return 65520;
  case DType::fp8_e4m3:
    return std::nextafter(464.0, 1000.0);
  case DType::fp8_e5m2:
    return 61440;
  default:
    return HUGE_VAL;
  }
}

} // namespace

bool dtype_holds_real(DType t, double value) {
  return !std::isfinite(value) || t == DType::fp64 || std::fabs(value) < limit_of(t);
}

} // namespace warptune
