// The gradients of LayerNorm or RMSNorm of small matrices in one launch: the sums over the rows need no sum over a row,
// so some blocks compute them while others compute dx. Both read dy and x; the second reading comes from the L2.
#include "common/early.cuh"
#include "gradient.cuh"

// A row by the THREADS threads of a block, which hold ITERS vectors each. share: 1 / cols.
template <typename T, int THREADS, int VEC, int ITERS, bool RMS, bool WEIGHT, bool RESIDUAL>
__device__ __forceinline__ void row_gradient(const T* __restrict__ dy, const T* __restrict__ x,
                                             const T* __restrict__ weight, const float* __restrict__ mean,
                                             const float* __restrict__ rstd, const T* __restrict__ dsum,
                                             T* __restrict__ dx, int row, int cols, float share) {
  using V = wt::Vec<T, VEC>;
  __shared__ wt::RowExchange<wt::Sums<2>, THREADS, 1, 1> exchange;
  const int begin = row * cols, thread = static_cast<int>(threadIdx.x) * VEC;
  const auto column = [&](int i) { return thread + i * THREADS * VEC; };
  V grads[ITERS], inputs[ITERS], weights[WEIGHT ? ITERS : 1], others[RESIDUAL ? ITERS : 1];
#pragma unroll
  for (int i = 0; i < ITERS; ++i) {
    if (column(i) >= cols) continue;
    grads[i] = wt::load<wt::kDefault, V>(dy + begin + column(i));
    inputs[i] = wt::load<wt::kDefault, V>(x + begin + column(i));
    if constexpr (WEIGHT) weights[i] = wt::load<wt::kDefault, V>(weight + column(i));
    if constexpr (RESIDUAL) others[i] = wt::load<wt::kDefault, V>(dsum + begin + column(i));
  }
  const Statistics of_row{RMS ? 0.0f : mean[row], rstd[row]};
  const auto terms_of = [&](int i) {
    Terms<VEC> terms(grads[i], inputs[i], of_row);
    float w[VEC];
    if constexpr (WEIGHT) {
      wt::unpack<T, VEC>(weights[i], w);
      terms.scale(w);
    }
    return terms;
  };
  wt::Sums<2> sums;
#pragma unroll
  for (int i = 0; i < ITERS; ++i)
    if (column(i) < cols) terms_of(i).add_to(sums);
  sums = exchange.merge(sums, 0, 0);
  const float along = sums.v[0] * share, middle = RMS ? 0.0f : sums.v[1] * share;
#pragma unroll
  for (int i = 0; i < ITERS; ++i) {
    if (column(i) >= cols) continue;
    const Terms<VEC> terms = terms_of(i);
    float v[VEC], added[VEC] = {};
    if constexpr (RESIDUAL) wt::unpack<T, VEC>(others[i], added);
#pragma unroll
    for (int k = 0; k < VEC; ++k) v[k] = fmaf(of_row.rstd, terms.g[k] - middle - terms.x[k] * along, added[k]);
    wt::store<wt::kDefault>(dx + begin + column(i), wt::pack<T, VEC>(v));
  }
}

// The sums over the rows of 32 * VEC columns from `first` on; warps take turns at the rows.
template <typename T, int THREADS, int VEC, bool RMS, bool WEIGHT, bool BIAS>
__device__ __forceinline__ void column_gradients(const T* __restrict__ dy, const T* __restrict__ x,
                                                 const float* __restrict__ mean, const float* __restrict__ rstd,
                                                 T* __restrict__ dweight, T* __restrict__ dbias, int first, int rows,
                                                 int cols) {
  using V = wt::Vec<T, VEC>;
  constexpr int kWarps = THREADS / 32, kBatch = 4; // loads of a tensor in flight a thread
  __shared__ float2 warps[kWarps][32 * VEC];
  const int lane = static_cast<int>(threadIdx.x) % 32 * VEC, warp = static_cast<int>(threadIdx.x) / 32;
  float2 own[VEC] = {};
  for (int row = warp; row < rows && first + lane < cols; row += kBatch * kWarps) {
    V grads[kBatch], inputs[kBatch];
    Statistics of_row[kBatch];
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      const int at = row + b * kWarps;
      if (at >= rows) continue;
      grads[b] = wt::load<wt::kDefault, V>(dy + at * cols + first + lane);
      if constexpr (WEIGHT) {
        inputs[b] = wt::load<wt::kDefault, V>(x + at * cols + first + lane);
        of_row[b] = {RMS ? 0.0f : mean[at], rstd[at]};
      }
    }
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      if (row + b * kWarps >= rows) continue;
      const Terms<VEC> terms(grads[b], WEIGHT ? inputs[b] : V{}, WEIGHT ? of_row[b] : Statistics{});
#pragma unroll
      for (int k = 0; k < VEC; ++k) own[k] = make_float2(fmaf(terms.g[k], terms.x[k], own[k].x), own[k].y + terms.g[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < VEC; ++k) warps[warp][lane + k] = own[k];
  __syncthreads();
  for (int c = static_cast<int>(threadIdx.x); c < min(32 * VEC, cols - first); c += THREADS) {
    float2 sum = make_float2(0, 0);
#pragma unroll
    for (int w = 0; w < kWarps; ++w) sum = make_float2(sum.x + warps[w][c].x, sum.y + warps[w][c].y);
    if constexpr (WEIGHT) dweight[first + c] = wt::from_float<T>(sum.x);
    if constexpr (BIAS) dbias[first + c] = wt::from_float<T>(sum.y);
  }
}

// The first `rows` blocks compute dx.
template <typename T, int THREADS, int VEC, int ITERS, int COLUMN_VEC, bool RMS, bool WEIGHT, bool BIAS, bool RESIDUAL>
__global__ void __launch_bounds__(THREADS)
    all_gradients(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ weight,
                  const float* __restrict__ mean, const float* __restrict__ rstd, const T* __restrict__ dsum,
                  T* __restrict__ dx, T* __restrict__ dweight, T* __restrict__ dbias, float share, int rows, int cols) {
  wt::wait_for_earlier_work();
  const int block = blockIdx.x;
  if (block < rows)
    row_gradient<T, THREADS, VEC, ITERS, RMS, WEIGHT, RESIDUAL>(dy, x, weight, mean, rstd, dsum, dx, block, cols,
                                                                share);
  else if constexpr (WEIGHT || BIAS)
    column_gradients<T, THREADS, COLUMN_VEC, RMS, WEIGHT, BIAS>(dy, x, mean, rstd, dweight, dbias,
                                                                (block - rows) * 32 * COLUMN_VEC, rows, cols);
}
