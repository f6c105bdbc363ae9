// In place of the shipped header.
#pragma once

#include "common/prelude.cuh"

namespace wt {

// With the errors that the instructions may have, so that tolerances are tested with them.
inline float exp2_fast(float x) { return std::exp2(x) * (1 + 0x1p-22f); }
inline float reciprocal_fast(float x) { return std::abs(x) > 0x1p126f ? 0 / x : 1 / x * (1 - 0x1p-23f); }
inline float log2_fast(float x) { return std::log2(x) + 0x1p-22f; }
inline float tanh_fast(float x) { return std::tanh(x) * (1 - 0x1p-11f); }
inline void keep_in_register(u32&) {}

} // namespace wt
