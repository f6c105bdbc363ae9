// Several pairs of numbers that blocks of one launch give each other: see team_pairs.cuh.
#pragma once

#include "common/team_pairs.cuh"

namespace wt {

// Waits for pairs[n], at first[n * step], for each n below `count`. All loads are in flight together.
template <int N> __device__ __forceinline__ void take_pairs(const u64* first, int step, int count, float2 (&pairs)[N]) {
  u64 words[N];
#pragma unroll
  for (int n = 0; n < N; ++n) words[n] = n < count ? 0 : 1;
  bool is_complete;
  do {
    is_complete = true;
#pragma unroll
    for (int n = 0; n < N; ++n)
      asm volatile("{\n\t.reg .pred missing;\n\t"
                   "setp.eq.u64 missing, %0, 0;\n\t"
                   "@missing ld.relaxed.gpu.global.u64 %0, [%1];\n\t}"
                   : "+l"(words[n])
                   : "l"(first + i64(n) * step)
                   : "memory");
#pragma unroll
    for (int n = 0; n < N; ++n) is_complete = is_complete && words[n] != 0;
  } while (!is_complete);
#pragma unroll
  for (int n = 0; n < N; ++n) pairs[n] = pair_of(words[n]);
}

} // namespace wt
