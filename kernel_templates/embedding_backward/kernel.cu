// The gradient of a table: for each of its rows the sum of the gradients of its tokens, which the sorted indices give.
// All orders are fixed. Rows with more than PIECE tokens are added in pieces of neighbours in the sorted order, so that
// one frequent token does not occupy one block for long.
#include "common/rows.cuh"
#include "order.cuh"
#include "parts.cuh"

using namespace wt;

// Adds one vector of each row at COUNT neighbouring places, whose loads are in flight together.
template <int COUNT, typename T, typename O, int VEC>
__device__ __forceinline__ void add_batch(const T* __restrict__ dy, const O* __restrict__ order, int cols, int column,
                                          float (&sum)[VEC]) {
  i64 token[COUNT];
  Vec<T, VEC> batch[COUNT];
#pragma unroll
  for (int i = 0; i < COUNT; ++i) token[i] = order[i];
#pragma unroll
  for (int i = 0; i < COUNT; ++i) batch[i] = wt::load<kDefault, Vec<T, VEC>>(dy + token[i] * cols + column);
  if constexpr (COUNT > 1) __syncwarp(__activemask()); // else the compiler puts additions between the loads
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    float v[VEC];
    unpack<T, VEC>(batch[i], v);
#pragma unroll
    for (int k = 0; k < VEC; ++k) sum[k] += v[k];
  }
}

// Adds the rows at the places `first` to `end` of the order: BATCH neighbours of every `step` places. Of the last batch
// halves, quarters and so on, because loads under conditions would not be in flight together.
template <typename T, typename O, int VEC, int BATCH>
__device__ __forceinline__ void add_tokens(const T* __restrict__ dy, const O* __restrict__ order, int first, int end,
                                           int step, int cols, int column, float (&sum)[VEC]) {
  i64 at = first;
#pragma unroll 1 // BATCH says how many loads
  for (; at + BATCH <= end; at += step) add_batch<BATCH>(dy, order + at, cols, column, sum);
  if constexpr (BATCH > 4) {
    if (at + 4 <= end) {
      add_batch<4>(dy, order + at, cols, column, sum);
      at += 4;
    }
  }
  if constexpr (BATCH > 2) {
    if (at + 2 <= end) {
      add_batch<2>(dy, order + at, cols, column, sum);
      at += 2;
    }
  }
  if (BATCH > 1 && at < end) add_batch<1>(dy, order + at, cols, column, sum);
}

// SHARES groups of WIDTH threads each have a part of the same sums. The first group gets all, added in a fixed order.
template <int SHARES, int WIDTH, int VEC>
__device__ __forceinline__ void add_shares(float (&sum)[VEC], int share, int thread) {
  if constexpr (SHARES > 1) {
    __shared__ float others[SHARES - 1][VEC][WIDTH];
#pragma unroll
    for (int k = 0; k < VEC; ++k)
      if (share > 0) others[share - 1][k][thread] = sum[k];
    __syncthreads();
    for (int other = 0; other < SHARES - 1 && share == 0; ++other)
#pragma unroll
      for (int k = 0; k < VEC; ++k) sum[k] += others[other][k][thread];
    __syncthreads(); // before the next columns
  }
}

// A piece of PIECE places has parts of at most two rows that are longer: of the row of its first place, and of the row
// of its last place. They are at parts[2 * piece] and parts[2 * piece + 1].
template <typename T, typename I, typename O, int VEC, int BATCH, int PIECE, int WIDTH, int SHARES>
__global__ void __launch_bounds__(WIDTH* SHARES)
    add_pieces(const T* __restrict__ dy, const I* __restrict__ sorted_ids, const O* __restrict__ order,
               const int* __restrict__ starts, float* __restrict__ parts, i64 rows, int cols) {
  const i64 begin = i64(blockIdx.x) * PIECE, places = starts[rows], end = min(begin + PIECE, places);
  if (begin >= places) return;
  const i64 row = sorted_ids[blockIdx.y == 0 ? begin : end - 1];
  if (row < 0) return;
  const int first = starts[row], last = starts[row + 1];
  if (last - first <= PIECE || (blockIdx.y == 1 && first <= begin)) return;
  const int from = max(first, int(begin)), to = min(last, int(end));
  const int share = threadIdx.x / WIDTH, thread = threadIdx.x % WIDTH;
  for (int base = 0; base < cols; base += WIDTH * VEC) {
    const int column = base + thread * VEC;
    float sum[VEC] = {};
    if (column < cols)
      add_tokens<T, O, VEC, BATCH>(dy, order, from + share * BATCH, to, SHARES * BATCH, cols, column, sum);
    add_shares<SHARES, WIDTH, VEC>(sum, share, thread);
    if (share > 0 || column >= cols) continue;
    store_part(parts + (2 * i64(blockIdx.x) + blockIdx.y) * cols + column, sum);
  }
}

// TPR * SPLIT threads work on a row of the table, RPB rows a block. SPLIT groups share the tokens of a row.
template <typename T, typename O, int TPR, int RPB, int SPLIT, int VEC, int BATCH, int PIECE, bool PADDING, int STORES>
__global__ void __launch_bounds__(TPR* SPLIT* RPB)
    add_rows(const T* __restrict__ dy, const O* __restrict__ order, const int* __restrict__ starts,
             const float* __restrict__ parts, T* __restrict__ dtable, i64 padding, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(SPLIT == 1 || RPB == 1, "all threads of a block wait for the sums of a row");
  const RowPlace<TPR * SPLIT, RPB, 1> place;
  if (place.row >= rows) return;
  const int share = place.thread / TPR, thread = place.thread % TPR;
  const int first = starts[place.row], last = PADDING && place.row == padding ? first : starts[place.row + 1];
  for (int base = 0; base < cols; base += TPR * VEC) {
    const int column = base + thread * VEC;
    float sum[VEC] = {};
    if (column < cols && last - first <= PIECE) {
      add_tokens<T, O, VEC, BATCH>(dy, order, first + share * BATCH, last, SPLIT * BATCH, cols, column, sum);
    } else if (column < cols) {
#pragma unroll(BATCH > 4 ? 4 : 2)
      for (int piece = first / PIECE + share; piece <= (last - 1) / PIECE; piece += SPLIT)
        add_part(parts + (2 * i64(piece) + (first > piece * i64(PIECE) ? 1 : 0)) * cols + column, sum);
    }
    if (last - first > BATCH) add_shares<SPLIT, TPR, VEC>(sum, share, thread); // else the first group has all
    if (share == 0 && column < cols) wt::store<STORES>(dtable + place.row * cols + column, pack<T, VEC>(sum));
  }
}
