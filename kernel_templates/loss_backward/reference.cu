// The reference of loss_backward, in double: one thread an element.
#include "common/losses_exact.cuh"

using namespace wt::exact;

template <typename T, typename D, typename Function, bool SUM, bool SIGNS>
__global__ void loss_backward_reference(const D* dloss, const T* x, const T* target, const u8* signs, float* dx,
                                        float beta, float delta, float margin, float divisor, i64 n) {
  const LossSettings settings{beta, delta, margin};
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    const int bits = SIGNS ? signs[i / 4] >> (2 * (i % 4)) : 0;
    const double slope = SIGNS ? (bits & 1) - (bits >> 1 & 1)
                               : Function::gradient(wt::to_double(x[i]), wt::to_double(target[i]), settings);
    dx[i] = static_cast<float>(slope * wt::to_double(dloss[SUM ? 0 : i]) / divisor);
  }
}
