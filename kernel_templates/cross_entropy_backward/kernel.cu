// The gradient of cross-entropy with respect to the logits, in one pass over them: softmax minus the target's share,
// times the gradient of the row's loss. Rows of any length and alignment.
#include "common/early.cuh"
#include "common/exp_sum.cuh"
#include "common/rows.cuh"

// TPR threads of each of BLOCKS blocks work on a row, RPB rows a block; BATCH is the number of loads in flight a
// thread.
template <typename T, int TPR, int RPB, int VEC, int BATCH, int BLOCKS, bool ALIGNED, bool SMOOTHING>
__global__ void __launch_bounds__(TPR* RPB)
    cross_entropy_backward(const float* __restrict__ dloss, const T* __restrict__ logits,
                           const i64* __restrict__ target, const float* __restrict__ lse, T* __restrict__ dlogits,
                           float smoothing, i64 ignore_index, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  const wt::RowPlace<TPR, RPB, BLOCKS> place;
  constexpr int kStep = place.kStep;
  if (place.row >= rows) return;
  const wt::Row<T, VEC, ALIGNED> row(place.row, cols);
  const i64 column = target[place.row];
  const bool ignored = column == ignore_index;
  // A row of minus infinities gives NaN: its offset is not replaced by 0, as it is in a sum.
  const float gradient = ignored ? 0.0f : dloss[place.row], offset = lse[place.row];
  const float share = SMOOTHING ? 1 - smoothing : 1.0f, spread = SMOOTHING ? smoothing / cols : 0.0f;
  for (int at = place.first; at < row.vectors; at += BATCH * kStep) {
    wt::Vec<T, VEC> batch[BATCH];
    if (!ignored)
      row.load_batch(logits, at, kStep, batch, cols); // otherwise logits, NaN or not, have no part in the loss
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      float v[VEC] = {};
      if (!ignored) {
        wt::unpack<T, VEC>(batch[i], v);
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
          v[k] = wt::exp_of(v[k], offset) - spread;
          if (row.column(at + i * kStep) + k == column) v[k] -= share;
          v[k] *= gradient;
        }
      }
      row.store(dlogits, at + i * kStep, wt::pack<T, VEC>(v));
    }
  }
}
