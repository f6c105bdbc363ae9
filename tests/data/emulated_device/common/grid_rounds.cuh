// In place of the shipped header: the blocks of a cooperative launch run in threads of the operating system.
#pragma once

#include "common/prelude.cuh"

#include <thread>

namespace wt {

inline void grid_arrive(u32* arrivals) { __atomic_add_fetch(arrivals, 1, __ATOMIC_SEQ_CST); }
inline void grid_wait(const u32* arrivals, u32 wanted) {
  while (__atomic_load_n(arrivals, __ATOMIC_SEQ_CST) < wanted) {
    std::this_thread::yield();
    emulated::yield();
  }
}

} // namespace wt
