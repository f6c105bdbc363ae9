// Cross-entropy of rows of logits with one pass over them: an online maximum and sum of exponentials, and the logit of
// the target. Rows of any length and alignment.
#include "common/early.cuh"
#include "common/exp_sum.cuh"
#include "common/row_exchange.cuh"
#include "common/rows.cuh"

// A part of a row; label smoothing also needs the sum of the logits.
template <bool SMOOTHING> struct alignas(8) Part {
  static constexpr int kFloats = SMOOTHING ? 3 : 2;
  wt::ExpSum exponentials;
  float logits = 0;

  __device__ __forceinline__ void merge(const Part& other) {
    exponentials.merge(other.exponentials);
    if constexpr (SMOOTHING) logits += other.logits;
  }
};

// TPR threads of each of CLUSTER blocks work on a row, RPB rows a block; BATCH is the number of loads in flight a
// thread.
template <typename T, int TPR, int RPB, int VEC, int BATCH, int CLUSTER, bool ALIGNED, bool SMOOTHING>
__global__ void __launch_bounds__(TPR* RPB)
    cross_entropy(const T* __restrict__ logits, const i64* __restrict__ target, float* __restrict__ loss,
                  float* __restrict__ lse, float smoothing, i64 ignore_index, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  const wt::RowPlace<TPR, RPB, CLUSTER> place;
  constexpr int kStep = place.kStep;
  __shared__ wt::RowExchange<Part<SMOOTHING>, TPR, RPB, CLUSTER> exchange;
  exchange.announce();
  const bool live = place.row < rows, first = live && place.first == 0;
  const wt::Row<T, VEC, ALIGNED> row(live ? place.row : 0, live ? cols : 0);
  const i64 column = first ? target[place.row] : 0; // in flight while the row is read
  Part<SMOOTHING> part;
  for (int at = place.first; at < row.vectors; at += BATCH * kStep) {
    wt::Vec<T, VEC> batch[BATCH];
    float v[BATCH * VEC];
    row.load_batch(logits, at, kStep, batch, cols, wt::minus_infinity());
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      float some[VEC];
      wt::unpack<T, VEC>(batch[i], some);
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        v[i * VEC + k] = some[k];
        if constexpr (SMOOTHING) part.logits += row.holds(at + i * kStep, k) ? some[k] : 0.0f;
      }
    }
    part.exponentials.add(v);
  }
  float of_target = __int_as_float(0x7fc00000); // a target that is not a column has no logit: NaN
  if (first && column >= 0 && column < cols) of_target = wt::to_float(logits[place.row * cols + column]);
  part = exchange.merge(part, place.rank, place.row_in_block);
  if (!first) return;
  // The logarithm is added to a difference of logits: beside a large logit it would be rounded away.
  const float max = part.exponentials.max, log_sum = logf(part.exponentials.sum);
  float value = (max - of_target) + log_sum;
  if constexpr (SMOOTHING) value = (1 - smoothing) * value + smoothing * ((max - part.logits / cols) + log_sum);
  loss[place.row] = column == ignore_index ? 0.0f : value;
  lse[place.row] = max + log_sum;
}
