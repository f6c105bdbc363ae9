// The gradient of a table: for each of its rows the sum of the gradients of its tokens, which the sorted indices give.
// All orders are fixed. Rows with more than PIECE tokens are added in pieces of neighbours in the sorted order, so that
// one frequent token does not occupy one block for long.
#include "common/rows.cuh"

using namespace wt;

// starts[r]: the first place of row r in the sorted order; indices that are not rows are in none of them.
template <typename I>
__global__ void __launch_bounds__(256)
    find_starts(const I* __restrict__ sorted_ids, int* __restrict__ starts, int tokens, i64 rows) {
  const i64 row = i64(blockIdx.x) * 256 + threadIdx.x;
  if (row > rows) return;
  int low = 0, high = tokens;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (i64(sorted_ids[middle]) < row)
      low = middle + 1;
    else
      high = middle;
  }
  starts[row] = low;
}

// Adds one vector of the rows at the places [first, end) of the order, BATCH loads in flight.
template <typename T, int VEC, int BATCH>
__device__ __forceinline__ void add_tokens(const T* __restrict__ dy, const i64* __restrict__ order, int first, int end,
                                           int cols, int column, float (&sum)[VEC]) {
  for (int at = first; at < end; at += BATCH) {
    i64 token[BATCH];
    Vec<T, VEC> batch[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; ++i) token[i] = at + i < end ? order[at + i] : 0;
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      batch[i] = Vec<T, VEC>{};
      if (at + i < end) batch[i] = wt::load<kDefault, Vec<T, VEC>>(dy + token[i] * cols + column);
    }
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      float v[VEC];
      unpack<T, VEC>(batch[i], v);
#pragma unroll
      for (int k = 0; k < VEC; ++k) sum[k] += v[k];
    }
  }
}

// A piece of PIECE places has parts of at most two rows that are longer: of the row of its first place, and of the row
// of its last place. They are at parts[2 * piece] and parts[2 * piece + 1].
template <typename T, typename I, int VEC, int BATCH, int PIECE, int THREADS>
__global__ void __launch_bounds__(THREADS)
    add_pieces(const T* __restrict__ dy, const I* __restrict__ sorted_ids, const i64* __restrict__ order,
               const int* __restrict__ starts, float* __restrict__ parts, int tokens, i64 rows, int cols) {
  const i64 begin = i64(blockIdx.x) * PIECE, end = begin + PIECE < tokens ? begin + PIECE : tokens;
  const i64 row = sorted_ids[blockIdx.y == 0 ? begin : end - 1];
  if (row < 0 || row >= rows) return;
  const int first = starts[row], last = starts[row + 1];
  if (last - first <= PIECE || (blockIdx.y == 1 && first <= begin)) return;
  for (int column = threadIdx.x * VEC; column < cols; column += THREADS * VEC) {
    float sum[VEC] = {};
    add_tokens<T, VEC, BATCH>(dy, order, first > begin ? first : int(begin), last < end ? last : int(end), cols, column,
                              sum);
    float* const to = parts + (2 * i64(blockIdx.x) + blockIdx.y) * cols + column;
#pragma unroll
    for (int k = 0; k < VEC; ++k) to[k] = sum[k];
  }
}

// TPR threads work on a row of the table, RPB rows a block.
template <typename T, int TPR, int RPB, int VEC, int BATCH, int PIECE, bool PADDING, int STORES>
__global__ void __launch_bounds__(TPR* RPB)
    add_rows(const T* __restrict__ dy, const i64* __restrict__ order, const int* __restrict__ starts,
             const float* __restrict__ parts, T* __restrict__ dtable, i64 padding, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  const RowPlace<TPR, RPB, 1> place;
  if (place.row >= rows) return;
  const int first = starts[place.row], last = starts[place.row + 1];
  const bool is_empty = PADDING && place.row == padding;
  for (int column = place.thread * VEC; column < cols; column += TPR * VEC) {
    float sum[VEC] = {};
    if (!is_empty && last - first <= PIECE) {
      add_tokens<T, VEC, BATCH>(dy, order, first, last, cols, column, sum);
    } else if (!is_empty) {
      for (int piece = first / PIECE; piece <= (last - 1) / PIECE; ++piece) {
        const float* const part = parts + (2 * i64(piece) + (first > piece * i64(PIECE) ? 1 : 0)) * cols + column;
#pragma unroll
        for (int k = 0; k < VEC; ++k) sum[k] += part[k];
      }
    }
    wt::store<STORES>(dtable + place.row * cols + column, pack<T, VEC>(sum));
  }
}
