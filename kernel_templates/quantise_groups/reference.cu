// The reference of quantise_groups, one thread a group. Its arithmetic is what the operator defines: divisions and
// products in fp32, rounded to nearest even, so that results are equal.
#include "common/prelude.cuh"

template <typename T>
__global__ void quantise_groups_reference(const T* x, u8* y, float* scales, float least_scale, i64 groups, int size) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 group = i64(blockIdx.x) * blockDim.x + threadIdx.x; group < groups; group += step) {
    const T* const own = x + group * size;
    float magnitude = 0;
    for (int i = 0; i < size; ++i) {
      const float element = fabsf(wt::to_float(own[i]));
      if (element > magnitude || isnan(element)) magnitude = element;
      if (isnan(element)) break;
    }
    const float of_magnitude = magnitude / 7, scale = of_magnitude < least_scale ? least_scale : of_magnitude;
    scales[group] = scale;
    const auto number = [&](int i) {
      const float value = wt::to_float(own[i]) * (1 / scale);
      return isnan(value) ? 0 : static_cast<int>(rintf(fminf(fmaxf(value, -8.0f), 7.0f)));
    };
    for (int i = 0; i < size; i += 2)
      y[(group * size + i) / 2] = static_cast<u8>((number(i) & 15) | (number(i + 1) & 15) << 4);
  }
}
