// The shipped header for the host: C++ code replaces its PTX code, and alignment is checked.
#pragma once

#include "common/prelude.cuh"

#define load load_by_ptx // templates; never instantiated
#define store store_by_ptx
#include_next <common/vec.cuh>
#undef load
#undef store

namespace wt {

template <int HINT, typename V> V load(const void* address) {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(V)) emulated::stop("misaligned load");
  emulated::check_inside(address, sizeof(V));
  V value;
  std::memcpy(&value, address, sizeof value);
  return value;
}
template <int HINT, typename V> void store(void* address, const V& value) {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(V)) emulated::stop("misaligned store");
  emulated::check_inside(address, sizeof(V));
  std::memcpy(address, &value, sizeof value);
}

} // namespace wt
