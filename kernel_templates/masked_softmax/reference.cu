// The reference of masked_softmax, in double: one block a row. M is the mask's type.
#include "common/reduce.cuh"

// The element of a row after scale and mask. `right`: columns beyond the diagonal's start that the first row sees.
template <typename T, typename M, bool IS_BOOL>
__device__ double logit(const T* x, const M* mask, float scale, i64 row, i64 column, i64 cols, i64 queries, i64 heads,
                        bool one_row, bool is_causal, i64 right) {
  const double infinity = 1.0 / 0.0;
  if (is_causal && column > row % queries + right) return -infinity;
  const double value = wt::to_double(x[row * cols + column]) * double(scale);
  if (!mask) return value;
  const i64 sample = row / (queries * heads);
  const M m = mask[(one_row ? sample : sample * queries + row % queries) * cols + column];
  if constexpr (IS_BOOL) return m ? value : -infinity;
  return value + wt::to_double(m);
}

template <typename T, typename M, bool IS_BOOL, bool LOG>
__global__ void masked_softmax_rows(const T* x, const M* mask, double* y, float scale, i64 rows, int cols, int queries,
                                    int heads, int one_row, int is_causal, int right) {
  __shared__ double scratch[256 / 32];
  __shared__ double row_max, row_sum;
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    const auto at = [&](int c) {
      return logit<T, M, IS_BOOL>(x, mask, scale, row, c, cols, queries, heads, one_row, is_causal, right);
    };
    double max = at(0), sum = 0;
    for (int c = threadIdx.x; c < cols; c += 256) max = fmax(max, at(c));
    max = wt::warp_all_reduce<32>(max, wt::Max{});
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = max;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < 256 / 32; ++w) max = fmax(max, scratch[w]);
      row_max = max;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += 256) sum += exp(at(c) - row_max);
    sum = wt::block_sum<256>(sum, scratch);
    if (threadIdx.x == 0) row_sum = sum;
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += 256) {
      const double centred = at(c) - row_max;
      y[row * cols + c] = LOG ? centred - log(row_sum) : exp(centred) / row_sum;
    }
    __syncthreads(); // before scratch and the row's numbers serve the next row
  }
}
