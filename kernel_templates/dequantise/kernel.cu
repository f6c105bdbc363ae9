// y = x * scale of rows in int8 or fp8, with a scale for each row or one for all. Rows of any length and alignment.
#include "common/rows.cuh"

// TPR threads work on a row, RPB rows a block; BATCH is the number of loads in flight a thread. GIVEN: one scale.
template <typename T, typename Q, int TPR, int RPB, int VEC, int BATCH, bool ALIGNED, bool GIVEN>
__global__ void __launch_bounds__(TPR* RPB)
    dequantise(const Q* __restrict__ x, const float* __restrict__ scales, T* __restrict__ y, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  const wt::RowPlace<TPR, RPB, 1> place;
  if (place.row >= rows) return;
  const wt::Row<Q, VEC, ALIGNED> row(place.row, cols);
  const wt::Row<T, VEC, ALIGNED> out(place.row, cols);
  const float scale = scales[GIVEN ? 0 : place.row];
  for (int at = place.first; at < row.vectors; at += BATCH * TPR) {
    wt::Vec<Q, VEC> batch[BATCH];
    row.load_batch(x, at, TPR, batch, cols);
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      float v[VEC];
      wt::unpack<Q, VEC>(batch[i], v);
#pragma unroll
      for (int k = 0; k < VEC; ++k) v[k] *= scale;
      out.store(y, at + i * TPR, wt::pack<T, VEC>(v));
    }
  }
}
