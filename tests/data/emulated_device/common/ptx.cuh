// Replaces the shipped header.
#pragma once

#include "common/prelude.cuh"

namespace wt {

// Like the device's instruction, correct to 2 units in the last place, and exact for 2^0.
inline float exp2_fast(float x) { return x == 0 ? 1.0f : std::exp2(x) * (1 + 0x1p-22f); }
inline void keep_in_register(u32&) {}

} // namespace wt
