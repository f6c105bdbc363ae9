// The gradients of x * values, where several elements share a value: dx = dy * value, and for each value the sum of dy
// * x over its elements. One pass over dy and x. Where a block has all elements of a value, it stores the sum;
// otherwise blocks leave partial sums (SPLIT), and a second launch adds these.
#include "add_sums.cuh"
#include "common/early.cuh"
#include "common/reduce.cuh"
#include "gradient.cuh"

using namespace wt;

// A value for each column of a matrix. A block works on a strip of ACROSS * VEC columns in one of `chunks` of the rows:
// DOWN rows at a time, UNROLL times; ONCE: these are all. DEPENDENT: add_sums may start before this launch has ended.
template <typename T, int ACROSS, int DOWN, int VEC, int UNROLL, bool SPLIT, bool ONCE, bool DEPENDENT>
__global__ void __launch_bounds__(ACROSS* DOWN)
    gradients_of_columns(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ values,
                         T* __restrict__ dx, T* __restrict__ dvalues, float* __restrict__ sums, i64 rows, int cols,
                         u32 all_chunks, u32 chunks, i64 chunk_rows, u32 rest) {
  static_assert(VEC * sizeof(T) <= 16 && UNROLL <= 4, "more than 128 bytes of a thread in flight spill");
  wt::wait_for_earlier_work();
  using V = Vec<T, VEC>;
  if constexpr (SPLIT && DEPENDENT) launch_dependents();
  __shared__ float held[DOWN][ACROSS * VEC];
  const u32 part = block_of_yz(); // of all matrices
  if (part >= all_chunks) return;
  const u32 matrix = SPLIT ? part / chunks : part;
  const Range range(SPLIT ? part - matrix * chunks : 0, chunk_rows, rest);
  const int strip = blockIdx.x * (ACROSS * VEC), across = threadIdx.x % ACROSS * VEC, down = threadIdx.x / ACROSS;
  float terms[VEC] = {};
  if (strip + across < cols) {
    const i64 base = i64(matrix) * rows * cols + strip + across, step = i64(DOWN) * cols;
    const V held_value = load<kDefault, V>(values + i64(matrix) * cols + strip + across);
    float value[VEC];
    unpack<T, VEC>(held_value, value);
    for_all<ONCE>(range.first + down, range.last, DOWN * UNROLL, [&](i64 row) {
      gradients<T, VEC, UNROLL>(
          dy, x, dx, base + row * cols, step, [&](int u) { return row + u * DOWN < range.last; },
          [&](int k) { return value[k]; }, terms);
    });
  }
#pragma unroll
  for (int k = 0; k < VEC; ++k) held[down][across + k] = terms[k];
  __syncthreads();
  for (int column = threadIdx.x; column < ACROSS * VEC && strip + column < cols; column += ACROSS * DOWN) {
    float chains[4] = {}; // shorter than one chain of DOWN additions
#pragma unroll
    for (int d = 0; d < DOWN; ++d) chains[d % 4] += held[d][column];
    const float sum = (chains[0] + chains[1]) + (chains[2] + chains[3]);
    if constexpr (SPLIT)
      sums[i64(part) * cols + strip + column] = sum;
    else
      dvalues[i64(matrix) * cols + strip + column] = from_float<T>(sum);
  }
}

// A value for each row of a matrix, which all matrices share. ACROSS threads work on one of the pieces of a row, UNROLL
// accesses at a time; DOWN rows a block.
template <typename T, int ACROSS, int DOWN, int VEC, int UNROLL, bool SPLIT, bool ONCE, bool DEPENDENT>
__global__ void __launch_bounds__(ACROSS* DOWN)
    gradients_of_rows(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ values,
                      T* __restrict__ dx, T* __restrict__ dvalues, float* __restrict__ sums, i64 all_rows, i64 rows,
                      int cols, i64 piece_vectors, u32 rest) {
  static_assert(VEC * sizeof(T) <= 16 && UNROLL <= 4, "more than 128 bytes of a thread in flight spill");
  wt::wait_for_earlier_work();
  using V = Vec<T, VEC>;
  if constexpr (SPLIT && DEPENDENT) launch_dependents();
  constexpr int kLanes = ACROSS < 32 ? ACROSS : 32, kWarps = ACROSS / kLanes; // of the threads of a row
  __shared__ float held[DOWN][kWarps];
  const int across = threadIdx.x % ACROSS, down = threadIdx.x / ACROSS;
  const i64 row = i64(block_of_yz()) * DOWN + down;
  const bool live = row < all_rows;
  const u32 piece = blockIdx.x; // one without SPLIT, which then has one matrix too
  const Range range(piece, piece_vectors, rest);
  const i64 last = live ? range.last : 0, matrix = !SPLIT || row < rows ? 0 : row / rows, own = row - matrix * rows;
  const T held_value = values[live ? own : 0];
  float terms[VEC] = {};
  for_all<ONCE>(range.first + across, last, ACROSS * UNROLL, [&](i64 i) {
    gradients<T, VEC, UNROLL>(
        dy, x, dx, row * cols + i * VEC, ACROSS * VEC, [&](int u) { return i + u * ACROSS < last; },
        [&](int) { return to_float(held_value); }, terms);
  });
  float sum = terms[0];
#pragma unroll
  for (int k = 1; k < VEC; ++k) sum += terms[k];
  sum = warp_all_reduce<kLanes>(sum, Sum{});
  if constexpr (kWarps > 1) {
    if (across % kLanes == 0) held[down][across / kLanes] = sum;
    __syncthreads();
    sum = held[down][0];
#pragma unroll
    for (int w = 1; w < kWarps; ++w) sum += held[down][w];
  }
  if (across != 0 || !live) return;
  if constexpr (SPLIT)
    sums[(matrix * gridDim.x + piece) * rows + own] = sum;
  else
    dvalues[row] = from_float<T>(sum);
}
