// Replaces the shipped header.
#pragma once

#include "common/prelude.cuh"

namespace wt {

inline float max_nan(float a, float b) { return a > b || a != a ? a : b; }
inline float min_nan(float a, float b) { return a < b || a != a ? a : b; }
inline u32 pack_int8(float a, float b, float c, float d) {
  u32 all = 0;
  for (const float v : {d, c, b, a}) {
    const float within = std::nearbyint(std::fmin(std::fmax(v, -128.0f), 127.0f));
    all = all << 8 | static_cast<unsigned char>(static_cast<signed char>(v == v ? within : 0.0f));
  }
  return all;
}

} // namespace wt
