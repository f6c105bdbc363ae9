// A bound for the results of a row, from the best elements of groups of its elements.
#pragma once

#include "team.cuh"

// A number of which at least k of the group bests are not below, if there are so many groups; it has at most k / 4
// more.
template <int LOWEST, int GROUPS, int TPR>
__device__ __forceinline__ u32 bound_of(const u32 (&best)[GROUPS], u32 k, Team<TPR>& team) {
  if (TPR * GROUPS < k) return 0;
  u32 high = best[0], low = best[0];
#pragma unroll
  for (int g = 1; g < GROUPS; ++g) {
    high = max(high, best[g]);
    low = min(low, best[g]);
  }
  high = team.all(high, Max{});
  low = team.all(low, Min{});
  if (high == low) return low;
  const int first = 31 - __clz(high ^ low); // all groups share the bits above
  u32 bound = high >> first << first & ~(1u << first);
  for (int bit = first; bit >= LOWEST; --bit) {
    const u32 next = bound | 1u << bit;
    u32 own = 0;
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) own += best[g] >= next;
    const u32 reached = team.all(own, Add{});
    if (reached < k) continue;
    bound = next;
    if (reached <= k + k / 4) break;
  }
  return bound;
}
