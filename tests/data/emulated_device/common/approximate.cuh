// Replaces the shipped header. Its results have the errors that the device's instructions may have.
#pragma once

#include "common/ptx.cuh"

namespace wt {

inline float reciprocal_fast(float x) { return std::abs(x) > 0x1p126f ? 0 / x : 1 / x * (1 - 0x1p-23f); }
inline float tanh_fast(float x) { return std::tanh(x) * (1 - 0x1p-11f); }

} // namespace wt
