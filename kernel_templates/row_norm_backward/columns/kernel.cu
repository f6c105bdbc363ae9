// The gradients of LayerNorm or RMSNorm in separate launches: dx row by row, and the sums over the rows by blocks that
// each take some columns of some rows. Reads dy and x up to three times; rows of any length and alignment.
#include "common/early.cuh"
#include "gradient.cuh"

// TPR threads of a block work on a row; BATCH is the number of pairs of loads in flight a thread.
template <typename T, int TPR, int VEC, int BATCH, bool ALIGNED, bool RMS, bool WEIGHT, bool RESIDUAL>
__global__ void __launch_bounds__(TPR)
    input_gradient(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ weight,
                   const float* __restrict__ mean, const float* __restrict__ rstd, const T* __restrict__ dsum,
                   T* __restrict__ dx, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  using Row = wt::Row<T, VEC, ALIGNED>;
  const wt::RowPlace<TPR, 1, 1> place;
  __shared__ wt::RowExchange<wt::Sums<2>, TPR, 1, 1> exchange;
  const Row row(place.row, cols);
  const Statistics of_row = statistics<RMS>(mean, rstd, place.row, rows);
  wt::Sums<2> sums;
  const auto each_vector = [&](const auto& use) {
    for (int at = place.first; at < row.vectors; at += BATCH * TPR) {
      typename Row::V grads[BATCH], inputs[BATCH];
#pragma unroll
      for (int i = 0; i < BATCH; ++i) {
        grads[i] = row.load(dy, at + i * TPR);
        inputs[i] = row.load(x, at + i * TPR);
      }
#pragma unroll
      for (int i = 0; i < BATCH; ++i) {
        Terms<VEC> terms(grads[i], inputs[i], of_row);
        float w[VEC];
        if constexpr (WEIGHT) {
          row.load_columns(weight, at + i * TPR, w);
          terms.scale(w);
        }
        use(terms, at + i * TPR);
      }
    }
  };
  each_vector([&](const Terms<VEC>& terms, int) { terms.add_to(sums); });
  sums = exchange.merge(sums, 0, 0);
  each_vector([&](const Terms<VEC>& terms, int i) {
    float added[VEC];
    load_added<RESIDUAL>(row, dsum, i, added);
    row.store(dx, i, terms.template gradient<RMS, T>(sums, of_row, cols, added));
  });
}

// A block of eight warps takes 32 * VEC columns of every gridDim.y-th group of eight rows; VEC divides cols. DEPENDENT:
// the launch that adds the parts may start before this one has ended.
template <typename T, int VEC, bool RMS, bool WEIGHT, bool BIAS, bool DEPENDENT>
__global__ void __launch_bounds__(256)
    column_parts(const T* __restrict__ dy, const T* __restrict__ x, const float* __restrict__ mean,
                 const float* __restrict__ rstd, float* __restrict__ parts, i64 rows, int cols) {
  if constexpr (DEPENDENT) wt::launch_dependents();
  using V = wt::Vec<T, VEC>;
  __shared__ float warps[2][8][32 * VEC];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = (blockIdx.x * 32 + lane) * VEC;
  float dweight[VEC] = {}, dbias[VEC] = {};
  if (column < cols) {
#pragma unroll 4
    for (i64 row = i64(blockIdx.y) * 8 + warp; row < rows; row += i64(gridDim.y) * 8) {
      const i64 at = row * cols + column;
      const Terms<VEC> terms(wt::load<wt::kDefault, V>(dy + at), WEIGHT ? wt::load<wt::kDefault, V>(x + at) : V{},
                             WEIGHT ? statistics<RMS>(mean, rstd, row, rows) : Statistics{});
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        dweight[k] = fmaf(terms.g[k], terms.x[k], dweight[k]);
        dbias[k] += terms.g[k];
      }
    }
  }
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    warps[0][warp][lane * VEC + k] = dweight[k];
    warps[1][warp][lane * VEC + k] = dbias[k];
  }
  __syncthreads();
  for (int c = threadIdx.x; c < 32 * VEC; c += 256) {
    const int to = blockIdx.x * 32 * VEC + c;
    if (to >= cols) continue;
    float sums[2] = {};
#pragma unroll
    for (int w = 0; w < 8; ++w) {
      sums[0] += warps[0][w][c];
      sums[1] += warps[1][w][c];
    }
    if constexpr (WEIGHT) wt::part_row(parts, 0, gridDim.y, blockIdx.y, cols)[to] = sums[0];
    if constexpr (BIAS) wt::part_row(parts, WEIGHT ? 1 : 0, gridDim.y, blockIdx.y, cols)[to] = sums[1];
  }
}
