// In place of the shipped header: the blocks of a cooperative launch run in threads of the operating system.
#pragma once

#include "common/prelude.cuh"

#include <thread>

namespace wt {

inline void give_pair(u64* place, float2 pair) {
  u64 word;
  std::memcpy(&word, &pair, sizeof word);
  __atomic_store_n(place, word == 0 ? 0x80000000u : word, __ATOMIC_SEQ_CST);
}
inline float2 take_pair(const u64* place) {
  u64 word;
  while ((word = __atomic_load_n(place, __ATOMIC_SEQ_CST)) == 0) {
    std::this_thread::yield();
    emulated::yield();
  }
  float2 pair;
  std::memcpy(&pair, &word, sizeof pair);
  return pair;
}

} // namespace wt
