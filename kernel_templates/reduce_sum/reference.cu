// The oracle of reduce_sum: a tree in double, in two launches.
#include "common/reduce.cuh"

template <typename T> __global__ void sum_blocks(const T* x, double* partials, i64 n) {
  __shared__ double scratch[256 / 32];
  double sum = 0;
  const i64 stride = i64(gridDim.x) * 256;
  for (i64 i = i64(blockIdx.x) * 256 + threadIdx.x; i < n; i += stride) sum += wt::to_double(x[i]);
  sum = wt::block_sum<256>(sum, scratch);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

__global__ void sum_partials(const double* partials, double* out, int count) {
  __shared__ double scratch[1024 / 32];
  double sum = 0;
  for (int i = threadIdx.x; i < count; i += 1024) sum += partials[i];
  sum = wt::block_sum<1024>(sum, scratch);
  if (threadIdx.x == 0) *out = sum;
}
