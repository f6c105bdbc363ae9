// The gradients of x * values, where several elements share a value: dx = dy * value, and for each value the sum of dy
// * x over its elements. One pass over dy and x; blocks leave partial sums, and a second launch adds these in a fixed
// order.
#include "common/column_sums.cuh"
#include "common/reduce.cuh"
#include "common/vec.cuh"

using namespace wt;

// dx of N neighbours, and their terms of the sums.
template <typename T, int N, typename Values>
__device__ __forceinline__ Vec<T, N> gradient(const Vec<T, N>& dy, const Vec<T, N>& x, const Values& value,
                                              float (&terms)[N]) {
  float g[N], v[N];
  unpack<T, N>(dy, g);
  unpack<T, N>(x, v);
#pragma unroll
  for (int k = 0; k < N; ++k) {
    terms[k] = fmaf(g[k], v[k], terms[k]);
    g[k] *= value(k);
  }
  return pack<T, N>(g);
}

// A value for each column of a matrix. A block works on a strip of ACROSS * VEC columns in one of `chunks` of the rows:
// DOWN rows at a time, UNROLL times.
template <typename T, int ACROSS, int DOWN, int VEC, int UNROLL>
__global__ void __launch_bounds__(ACROSS* DOWN)
    gradients_of_columns(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ values,
                         T* __restrict__ dx, float* __restrict__ sums, i64 rows, int cols, int strips, int chunks) {
  static_assert(VEC * sizeof(T) <= 16 && UNROLL <= 4, "more than 128 bytes of a thread in flight spill");
  using V = Vec<T, VEC>;
  __shared__ float held[DOWN][ACROSS * VEC];
  const i64 part = blockIdx.x / strips, matrix = part / chunks, chunk = part % chunks; // part: of all matrices
  const int strip = (blockIdx.x % strips) * ACROSS * VEC, across = threadIdx.x % ACROSS * VEC;
  const int down = threadIdx.x / ACROSS;
  const i64 first = rows * chunk / chunks, last = rows * (chunk + 1) / chunks;
  float terms[VEC] = {};
  if (strip + across < cols) {
    float value[VEC];
    unpack<T, VEC>(load<kDefault, V>(values + matrix * cols + strip + across), value);
    const i64 base = matrix * rows * cols + strip + across;
    for (i64 row = first + down; row < last; row += DOWN * UNROLL) {
      V g[UNROLL], v[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        const i64 at = base + (row + u * DOWN) * cols;
        if (row + u * DOWN < last) g[u] = load<kDefault, V>(dy + at), v[u] = load<kDefault, V>(x + at);
      }
#pragma unroll
      for (int u = 0; u < UNROLL; ++u)
        if (row + u * DOWN < last)
          store<kStreaming>(dx + base + (row + u * DOWN) * cols,
                            gradient<T, VEC>(
                                g[u], v[u], [&](int k) { return value[k]; }, terms));
    }
  }
#pragma unroll
  for (int k = 0; k < VEC; ++k) held[down][across + k] = terms[k];
  __syncthreads();
  for (int column = threadIdx.x; column < ACROSS * VEC && strip + column < cols; column += ACROSS * DOWN) {
    float sum = 0;
#pragma unroll
    for (int d = 0; d < DOWN; ++d) sum += held[d][column];
    sums[part * cols + strip + column] = sum;
  }
}

// A value for each row of a matrix, which all matrices share. ACROSS threads work on one of `pieces` of a row; DOWN
// rows a block.
template <typename T, int ACROSS, int DOWN, int VEC, int UNROLL>
__global__ void __launch_bounds__(ACROSS* DOWN)
    gradients_of_rows(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ values,
                      T* __restrict__ dx, float* __restrict__ sums, i64 all_rows, i64 rows, int cols, int pieces) {
  static_assert(VEC * sizeof(T) <= 16 && UNROLL <= 4, "more than 128 bytes of a thread in flight spill");
  using V = Vec<T, VEC>;
  constexpr int kLanes = ACROSS < 32 ? ACROSS : 32, kWarps = ACROSS / kLanes; // of the threads of a row
  __shared__ float held[DOWN][kWarps];
  const int across = threadIdx.x % ACROSS, down = threadIdx.x / ACROSS;
  const i64 row = blockIdx.x / pieces * DOWN + down, piece = blockIdx.x % pieces, vectors = cols / VEC;
  const i64 first = vectors * piece / pieces, last = row < all_rows ? vectors * (piece + 1) / pieces : 0;
  const float value = row < all_rows ? to_float(values[row % rows]) : 0.0f;
  float terms[VEC] = {};
  for (i64 i = first + across; i < last; i += ACROSS * UNROLL) {
    V g[UNROLL], v[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const i64 at = row * cols + (i + u * ACROSS) * VEC;
      if (i + u * ACROSS < last) g[u] = load<kDefault, V>(dy + at), v[u] = load<kDefault, V>(x + at);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
      if (i + u * ACROSS < last)
        store<kStreaming>(dx + row * cols + (i + u * ACROSS) * VEC, gradient<T, VEC>(
                                                                        g[u], v[u], [&](int) { return value; }, terms));
  }
  float sum = terms[0];
#pragma unroll
  for (int k = 1; k < VEC; ++k) sum += terms[k];
  sum = warp_all_reduce<kLanes>(sum, Sum{});
  if (across % kLanes == 0) held[down][across / kLanes] = sum;
  __syncthreads();
  if (across != 0 || row >= all_rows) return;
#pragma unroll
  for (int w = 1; w < kWarps; ++w) sum += held[down][w];
  sums[(row / rows * pieces + piece) * rows + row % rows] = sum;
}

// Adds `parts` partial sums of each value; a block adds those of 32 values of a matrix.
template <typename T>
__global__ void __launch_bounds__(256)
    add_sums(const float* __restrict__ sums, T* __restrict__ dvalues, i64 parts, int width) {
  const int groups = ceil_div(width, 32), value = blockIdx.x % groups * 32 + threadIdx.x % 32;
  const i64 matrix = blockIdx.x / groups;
  const float sum = add_parts<8>(sums + matrix * parts * width, parts, width, value);
  if (threadIdx.x < 32 && value < width) dvalues[matrix * width + value] = from_float<T>(sum);
}
