// The second launch of a loss that is summed: one block adds the parts that the first one left, and divides.
#pragma once

#include "common/async.cuh"
#include "common/reduce.cuh"

// DEPENDENT: it may start before the first launch has ended.
template <typename Out, int BLOCK, bool DEPENDENT>
__global__ void __launch_bounds__(BLOCK) add_loss_parts(const float* parts, Out* y, int count, float divisor) {
  if constexpr (DEPENDENT) wt::wait_for_predecessor();
  __shared__ float scratch[BLOCK / 32];
  float sum = 0;
#pragma unroll 8
  for (int i = threadIdx.x; i < count; i += BLOCK) sum += parts[i];
  sum = wt::block_sum<BLOCK>(sum, scratch);
  if (threadIdx.x == 0) *y = wt::from_float<Out>(sum / divisor);
}
