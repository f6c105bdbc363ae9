// For kernels that start early (common/early.cuh), and also let the next kernel of the stream start early.
#pragma once

#include "common/early.cuh"

namespace wt {

// Lets the next kernel start once all blocks of this one have. It waits for this kernel to end, as this one waits for the
// kernel before it: so each thread must also wait. Only for grids that fit on the device at once: blocks with this
// instruction start at half the rate, and the start of a long kernel is not what takes the time.
__device__ __forceinline__ void let_next_start() {
#if __CUDA_ARCH__ >= 900
  constexpr unsigned kFewBlocks = 512;
  if (gridDim.x <= kFewBlocks && gridDim.y == 1 && gridDim.z == 1)
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits for earlier work, but only once `number` is known: otherwise, the compiler would compute what leads to it after
// the wait. No thread may return before: if no thread waited, the next kernel would not wait for the one before this.
__device__ __forceinline__ void wait_for_earlier_work_after(int number) {
#if __CUDA_ARCH__ >= 900
  asm volatile("{\n\t.reg .pred any;\n\t"
               "setp.eq.s32 any, %0, 0;\n\t" // both branches wait
               "@any griddepcontrol.wait;\n\t"
               "@!any griddepcontrol.wait;\n\t}" ::"r"(number)
               : "memory");
#endif
}

} // namespace wt
