// C = A * B with B transposed in memory, one thread an element, in double.
#include "common/prelude.cuh"

extern "C" __global__ void product_reference(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, i64 m, i64 n, i64 k) {
  const i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  double sum = 0;
  for (i64 l = 0; l < k; ++l) sum += wt::to_double(a[i / n * k + l]) * wt::to_double(b[i % n * k + l]);
  c[i] = wt::from_double<float>(sum);
}
