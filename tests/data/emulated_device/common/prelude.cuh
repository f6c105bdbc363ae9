// The shipped header for the host: C++ code replaces its PTX code.
#pragma once

#include "../emulated_device.h"

#define pack2 pack2_by_ptx // a template; never instantiated
#include_next <common/prelude.cuh>
#undef pack2

namespace wt {

template <typename T> u32 pack2(float low, float high) {
  const T pair[2] = {from_float<T>(low), from_float<T>(high)};
  u32 bits;
  std::memcpy(&bits, pair, sizeof bits);
  return bits;
}

} // namespace wt
