// The reference of embedding: one thread an element.
#include "common/prelude.cuh"

template <typename T, typename I>
__global__ void gather_reference(const T* table, const I* ids, float* y, i64 results, u32 tokens, i64 rows, int cols) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < results * cols; i += step) {
    const i64 row = i / cols, index = ids[row % tokens];
    const bool exists = index >= 0 && index < rows;
    y[i] = exists ? wt::to_float(table[(row / tokens * rows + index) * cols + i % cols]) : __int_as_float(0x7fc00000);
  }
}
