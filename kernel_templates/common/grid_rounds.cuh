// Rounds of a cooperative launch, whose blocks all run at the same time: all wait until each has arrived. `arrivals` is 0
// before the launch and grows by the number of blocks in each round.
#pragma once

#include "common/prelude.cuh"

namespace wt {

// In one thread, after a barrier of the block.
__device__ __forceinline__ void grid_arrive(u32* arrivals) {
  asm volatile("fence.acq_rel.gpu;\n\tred.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrivals) : "memory");
}
// In one thread, before a barrier of the block.
__device__ __forceinline__ void grid_wait(const u32* arrivals, u32 wanted) {
  u32 seen;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrivals) : "memory");
  } while (seen < wanted);
}

} // namespace wt
