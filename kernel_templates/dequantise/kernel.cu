// y = x * scale of rows in int8 or fp8, with a scale for each row or one for all. Rows of any length and alignment.
#include "common/early.cuh"
#include "common/rows.cuh"
#include "common/widen.cuh"

// TPR threads work on a row or, where the grid has several blocks in y, on a piece of it; RPB rows a block. BATCH is
// the number of loads in flight a thread. ONCE: one batch is all that a thread loads. GIVEN: one scale.
template <typename T, typename Q, int TPR, int RPB, int VEC, int BATCH, bool ALIGNED, bool ONCE, bool GIVEN>
__global__ void __launch_bounds__(TPR* RPB)
    dequantise(const Q* __restrict__ x, const float* __restrict__ scales, T* __restrict__ y, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  using V = wt::Vec<Q, VEC>;
  const wt::RowPlace<TPR, RPB, 1> place;
  if (place.row >= rows) return;
  const wt::Row<Q, VEC, ALIGNED> row(place.row, cols);
  const wt::Row<T, VEC, ALIGNED> out(place.row, cols);
  const float scale = scales[GIVEN ? 0 : place.row];
  const auto do_batch = [&](int at) {
    V batch[BATCH];
    if constexpr (ALIGNED) {
#pragma unroll
      for (int i = 0; i < BATCH; ++i)
        if (at + i * TPR < row.vectors) batch[i] = wt::load<wt::kDefault, V>(x + row.first + i64(at + i * TPR) * VEC);
    } else {
      row.load_batch(x, at, TPR, batch, cols);
    }
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      if (at + i * TPR >= row.vectors) break;
      float v[VEC];
      wt::widen<Q, VEC>(batch[i], v);
#pragma unroll
      for (int k = 0; k < VEC; ++k) v[k] *= scale;
      out.store(y, at + i * TPR, wt::pack<T, VEC>(v));
    }
  };
  // The first batch is outside the loop, because its loads would wait there for that of the scale.
  const int first = blockIdx.y * (BATCH * TPR) + place.first;
  do_batch(first);
  if constexpr (!ONCE)
    for (int at = first + BATCH * TPR; at < row.vectors; at += BATCH * TPR) do_batch(at);
}
