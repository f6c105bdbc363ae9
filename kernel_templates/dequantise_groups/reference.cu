// The reference of dequantise_groups, in double: one thread a byte of x.
#include "common/prelude.cuh"

__global__ void dequantise_groups_reference(const u8* x, const float* scales, double* y, i64 groups, int size) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < groups * size / 2; i += step) {
    const double scale = scales[2 * i / size];
    const int low = x[i] % 16, high = x[i] / 16; // of 4 bits: from 8 on, a number is negative
    y[2 * i] = (low < 8 ? low : low - 16) * scale;
    y[2 * i + 1] = (high < 8 ? high : high - 16) * scale;
  }
}
