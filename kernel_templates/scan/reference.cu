// The reference of scan, in double: one thread a row. Before it, its input.
#include "common/prelude.cuh"

template <typename T, bool PRODUCT, bool EXCLUSIVE, bool REVERSE, bool MASKED>
__global__ void scan_reference(const T* x, const bool* mask, float* y, i64 rows, i64 n) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 row = i64(blockIdx.x) * blockDim.x + threadIdx.x; row < rows; row += step) {
    double all = PRODUCT ? 1 : 0;
    for (i64 i = 0; i < n; ++i) {
      const i64 at = row * n + (REVERSE ? n - 1 - i : i);
      const double before = all, value = wt::to_double(x[at]);
      if (!MASKED || mask[at]) all = PRODUCT ? all * value : all + value;
      y[at] = static_cast<float>(EXCLUSIVE ? before : all);
    }
  }
}

__device__ u32 mixed(u64 i) { // bits that look random (the finaliser of SplitMix64)
  i += 0x9e3779b97f4a7c15ull;
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9ull;
  i = (i ^ i >> 27) * 0x94d049bb133111ebull;
  return static_cast<u32>(i >> 32);
}

// The size that the product of the first i + 1 elements is to have: from 1 / 2 to 2.
__device__ double wanted_size(i64 i) { return exp2((mixed(static_cast<u64>(i)) >> 1) / 1073741824.0 - 1); }

// Numbers of random signs: each takes the size of the product from the one that is wanted before it to the one wanted after
// it, whatever earlier numbers were rounded to. So products of any neighbours neither vanish nor overflow in any dtype, and
// one number more or less changes them much. One thread for kStretch neighbours. MASKED: products of those that the mask
// chooses; the others are large.
template <typename T, bool MASKED> __global__ void draw_steps(T* x, const bool* mask, i64 elements) {
  constexpr int kStretch = 1024;
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 stretch = i64(blockIdx.x) * blockDim.x + threadIdx.x; stretch * kStretch < elements; stretch += step) {
    i64 last = stretch * kStretch - 1; // that counts
    while (MASKED && last >= 0 && !mask[last]) --last;
    double size = wanted_size(last);
    for (i64 i = stretch * kStretch; i < (stretch + 1) * kStretch && i < elements; ++i) {
      if (MASKED && !mask[i]) {
        x[i] = wt::from_double<T>(100);
        continue;
      }
      const double value = wanted_size(i) / size;
      x[i] = wt::from_double<T>(mixed(static_cast<u64>(i)) % 2 ? -value : value);
      size *= fabs(wt::to_double(x[i]));
    }
  }
}
