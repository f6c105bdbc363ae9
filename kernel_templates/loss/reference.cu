// The reference of loss, in double: one thread for `length` neighbours, then one for the sum.
#include "common/losses_exact.cuh"

using namespace wt::exact;

// Stores the losses in y, or the sums of neighbours in `sums` if there is no y. SIGNS: a byte of signs has those of four
// elements, and a piece is whole bytes.
template <typename T, typename Function, bool SIGNS>
__global__ void loss_reference(const T* x, const T* target, float* y, u8* signs, double* sums, float beta, float delta,
                               float margin, i64 n, i64 length) {
  const LossSettings settings{beta, delta, margin};
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 piece = i64(blockIdx.x) * blockDim.x + threadIdx.x; piece * length < n; piece += step) {
    double sum = 0;
    for (i64 i = piece * length; i < n && i < (piece + 1) * length; ++i) {
      const double value = Function::of(wt::to_double(x[i]), wt::to_double(target[i]), settings);
      if (!sums) y[i] = static_cast<float>(value);
      sum += value;
      if (!SIGNS) continue;
      const double slope = Function::gradient(wt::to_double(x[i]), wt::to_double(target[i]), settings);
      if (i % 4 == 0) signs[i / 4] = 0;
      signs[i / 4] |= u8((slope > 0 ? 1 : slope < 0 ? 2 : 0) << (2 * (i % 4)));
    }
    if (sums) sums[piece] = sum;
  }
}

__global__ void add_reference(const double* sums, float* y, i64 pieces, float divisor) {
  double sum = 0;
  for (i64 i = 0; i < pieces; ++i) sum += sums[i];
  *y = static_cast<float>(sum / divisor);
}
