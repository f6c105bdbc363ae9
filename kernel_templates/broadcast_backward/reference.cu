// The reference of broadcast_backward, in double.
#include "common/reduce.cuh"

// The place of an element's value. along: 1: a value for each column, 2: for each row, 3: for each column of each
// matrix.
__device__ i64 place_of(i64 row, i64 column, i64 rows, i64 cols, int along) {
  return along == 1 ? column : along == 2 ? row % rows : row / rows * cols + column;
}

template <typename T>
__global__ void element_gradients(const T* dy, const T* values, double* dx, i64 all_rows, i64 rows, int cols,
                                  int along) {
  const i64 stride = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < all_rows * cols; i += stride)
    dx[i] = wt::to_double(dy[i]) * wt::to_double(values[place_of(i / cols, i % cols, rows, cols, along)]);
}

// A block adds the elements of a value: some rows, `over` apart, and some columns of each.
template <typename T>
__global__ void value_gradients(const T* dy, const T* x, double* dvalues, i64 all_rows, i64 rows, int cols, int along) {
  __shared__ double scratch[2];
  const i64 count = along == 1 ? cols : along == 2 ? rows : all_rows / rows * cols;
  for (i64 at = blockIdx.x; at < count; at += gridDim.x) {
    const i64 first = along == 2 ? at : along == 3 ? at / cols * rows : 0, over = along == 2 ? rows : 1;
    const i64 last = along == 3 ? first + rows : all_rows, width = along == 2 ? cols : 1;
    const i64 column = along == 2 ? 0 : at % cols, taken = (last - first + over - 1) / over;
    double sum = 0;
    for (i64 i = threadIdx.x; i < taken * width; i += 64) {
      const i64 element = (first + i / width * over) * cols + column + i % width;
      sum += wt::to_double(dy[element]) * wt::to_double(x[element]);
    }
    sum = wt::block_sum<64>(sum, scratch);
    if (threadIdx.x == 0) dvalues[at] = sum;
    __syncthreads();
  }
}
