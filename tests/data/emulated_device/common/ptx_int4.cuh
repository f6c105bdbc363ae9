// Replaces the shipped header.
#pragma once

#include "common/prelude.cuh"

namespace wt {

inline u32 pack_int4_pair(float low, float high, u32 above) {
  const auto number = [](float v) {
    const float within = std::nearbyint(std::fmin(std::fmax(v, -8.0f), 7.0f));
    return static_cast<u32>(v == v ? static_cast<int>(within) : 0) & 15;
  };
  return above << 8 | number(high) << 4 | number(low);
}

} // namespace wt
