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

// The tokens of each row as a list, of indices that are not sorted: heads[row] is one more than its last token, and
// links[token] one more than the next; 0 ends a list. Its order differs from run to run, within the rounding of double.
template <typename I> __global__ void link_reference(const I* ids, int* heads, int* links, int tokens, i64 rows) {
  const i64 token = i64(blockIdx.x) * blockDim.x + threadIdx.x;
  if (token >= tokens || ids[token] < 0 || ids[token] >= rows) return;
  links[token] = atomicExch(heads + ids[token], static_cast<int>(token) + 1);
}

template <typename T, bool PADDING>
__global__ void linked_reference(const T* dy, const int* heads, const int* links, float* dtable, i64 padding, i64 rows,
                                 int cols) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols; i += step) {
    double sum = 0;
    for (i64 link = heads[i / cols]; link > 0; link = links[link - 1])
      sum += wt::to_double(dy[(link - 1) * cols + i % cols]);
    dtable[i] = PADDING && i / cols == padding ? 0.0f : static_cast<float>(sum);
  }
}
