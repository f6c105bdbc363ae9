// The reference of masked_softmax_backward, in double: one block a row. Before it, the result of a forward pass.
#include "common/reduce.cuh"

// The number of columns that a row sees. `right`: columns beyond the diagonal's start that the first row sees.
__device__ i64 seen(i64 row, int cols, int queries, int is_causal, int right) {
  const i64 limit = is_causal ? row % queries + right + 1 : cols;
  return limit < 0 ? 0 : limit < cols ? limit : cols;
}

// Softmax of made-up elements; rows that see no column are 0 here, not NaN.
template <typename T, bool LOG>
__global__ void make_results(T* y, i64 rows, int cols, int queries, int is_causal, int right) {
  __shared__ double scratch[256 / 32];
  __shared__ double row_sum;
  const auto element = [](i64 i) { return 4 * sin(0.7 * (i % 10007) + 0.1 * (i % 13)); };
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    const i64 limit = seen(row, cols, queries, is_causal, right);
    double sum = 0;
    for (int c = threadIdx.x; c < limit; c += 256) sum += exp(element(row * cols + c));
    sum = wt::block_sum<256>(sum, scratch);
    if (threadIdx.x == 0) row_sum = sum;
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += 256) {
      const double x = element(row * cols + c);
      const double masked = LOG ? -1.0 / 0.0 : 0.0;
      y[row * cols + c] = wt::from_double<T>(c >= limit ? masked : LOG ? x - log(row_sum) : exp(x) / row_sum);
    }
    __syncthreads(); // before scratch and row_sum serve the next row
  }
}

template <typename T, bool LOG>
__global__ void input_gradients(const T* dy, const T* y, double* dx, float scale, i64 rows, int cols, int queries,
                                int is_causal, int right) {
  __shared__ double scratch[256 / 32];
  __shared__ double row_sum;
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    const i64 limit = seen(row, cols, queries, is_causal, right);
    double sum = 0;
    for (int c = threadIdx.x; c < limit; c += 256)
      sum += wt::to_double(dy[row * cols + c]) * (LOG ? 1.0 : wt::to_double(y[row * cols + c]));
    sum = wt::block_sum<256>(sum, scratch);
    if (threadIdx.x == 0) row_sum = sum;
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += 256) {
      const i64 i = row * cols + c;
      const double g = wt::to_double(dy[i]), r = wt::to_double(y[i]);
      dx[i] = c < limit ? scale * (LOG ? g - exp(r) * row_sum : r * (g - row_sum)) : 0.0;
    }
    __syncthreads(); // before scratch and row_sum serve the next row
  }
}
