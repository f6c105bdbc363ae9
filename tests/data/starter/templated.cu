// A kernel in a namespace, over a type, with template arguments and a header of its own.
#include "row.cuh"

#include <cuda_fp16.h>

namespace rows {

template <typename T, int THREADS, bool VECTOR = false>
__global__ void __launch_bounds__(THREADS) add(T const* a, const T* b, float4* sum, unsigned int* count, std::size_t rows,
                                               int cols) {
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(THREADS) + threadIdx.x; i * 4 < rows * cols;
       i += static_cast<std::size_t>(gridDim.x) * THREADS)
    sum[i] = four(a + i * 4, b + i * 4);
  if (VECTOR && threadIdx.x == 0) atomicAdd(count, 1U);
}

} // namespace rows
