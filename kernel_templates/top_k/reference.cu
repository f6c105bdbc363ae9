// The reference of top_k: one thread a row, which inserts each element behind those that precede it.
#include "common/prelude.cuh"

// NaN counts as the largest number. Equal elements keep their order.
template <bool LARGEST> __device__ bool precedes(float a, float b) {
  if (LARGEST) return a != a ? b == b : a > b;
  return b != b ? a == a : a < b;
}

template <typename T, typename I, bool LARGEST>
__global__ void top_k_reference(const T* x, float* values, I* indices, i64 rows, int n, int k) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 row = i64(blockIdx.x) * blockDim.x + threadIdx.x; row < rows; row += step) {
    float* const first = values + row * k;
    I* const places = indices + row * k;
    for (int i = 0; i < n; ++i) {
      const float element = wt::to_float(x[row * n + i]);
      int at = i < k ? i : k;
      if (at == k && !precedes<LARGEST>(element, first[k - 1])) continue;
      if (at == k) --at; // the last one leaves
      for (; at > 0 && precedes<LARGEST>(element, first[at - 1]); --at) {
        first[at] = first[at - 1];
        places[at] = places[at - 1];
      }
      first[at] = element;
      places[at] = i;
    }
  }
}
