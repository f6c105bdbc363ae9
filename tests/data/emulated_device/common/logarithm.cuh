// Replaces the shipped header. Its results have the errors that the device's instruction may have.
#pragma once

#include "common/prelude.cuh"

namespace wt {

inline float log_fast(float x) {
  const float y = std::log2(std::abs(x) < 0x1p-126f ? 0 * x : x);
  return (y * (1 + 0x1p-22f) + 0x1p-22f) * 0.693147182f;
}

} // namespace wt
