// Replaces the shipped header. Its results have the errors that the device's instructions may have, in the directions
// that add up in a / sqrt(b).
#pragma once

#include "common/prelude.cuh"

namespace wt {

inline float sqrt_fast(float x) { return std::sqrt(x) * (1 - 0x1p-23f); }
inline float divide_fast(float a, float b) { return a / b * (1 + 0x1p-22f); }

} // namespace wt
