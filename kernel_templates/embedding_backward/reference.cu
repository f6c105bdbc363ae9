// The reference of embedding_backward, in double: one thread an element of the table.
#include "common/prelude.cuh"

template <typename T, typename I, bool PADDING>
__global__ void scatter_reference(const T* dy, const I* sorted_ids, const i64* order, float* dtable, i64 padding,
                                  int tokens, i64 rows, int cols) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols; i += step) {
    const i64 row = i / cols;
    i64 low = 0, high = tokens; // the first place with an index that is not smaller
    while (low < high) {
      const i64 middle = (low + high) / 2;
      if (sorted_ids[middle] < row)
        low = middle + 1;
      else
        high = middle;
    }
    double sum = 0;
    for (; low < tokens && sorted_ids[low] == row; ++low) sum += wt::to_double(dy[order[low] * cols + i % cols]);
    dtable[i] = PADDING && row == padding ? 0.0f : static_cast<float>(sum);
  }
}
