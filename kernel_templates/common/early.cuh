// For kernels whose launch has "early" in spec.json: their blocks may start before earlier work in the stream has ended.
#pragma once

namespace wt {

// Waits until this work has ended and its results are visible. Each thread calls it, before it accesses global memory.
__device__ __forceinline__ void wait_for_earlier_work() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

} // namespace wt
