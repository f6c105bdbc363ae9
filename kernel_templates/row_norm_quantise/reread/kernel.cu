// Normalised and quantised rows with the row kept nowhere: its statistics, then the largest of its normalised elements,
// then the elements. The row is read three times, from the L2 if it is still there. Rows of any length and alignment.
#include "common/early.cuh"
#include "normalised.cuh"

template <bool RMS> struct PartOf { using type = wt::Moments; };
template <> struct PartOf<true> { using type = wt::Sums<1>; };

// TPR threads of each of CLUSTER blocks work on a row; BATCH is the number of loads in flight a thread.
template <typename T, typename Q, int TPR, int VEC, int BATCH, int CLUSTER, bool ALIGNED, bool RMS, bool WEIGHT,
          bool BIAS, bool RESIDUAL>
__global__ void __launch_bounds__(TPR)
    row_norm_quantise(const T* __restrict__ x, const T* __restrict__ residual, const T* __restrict__ weight,
                      const T* __restrict__ bias, Q* __restrict__ y, float* __restrict__ scales, T* sum, float eps,
                      float least_scale, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  using Part = typename PartOf<RMS>::type;
  const wt::RowPlace<TPR, 1, CLUSTER> place;
  constexpr int kStep = place.kStep;
  __shared__ wt::RowExchange<Part, TPR, 1, CLUSTER> exchange;
  __shared__ wt::RowExchange<Largest, TPR, 1, CLUSTER> of_largest;
  exchange.announce();
  const wt::Row<T, VEC, ALIGNED> row(place.row, cols);
  const wt::Row<Q, VEC, ALIGNED> out(place.row, cols);
  wt::Vec<T, VEC> batch[BATCH];
  Part part;
  for (int at = place.first; at < row.vectors; at += BATCH * kStep) {
    row.load_batch(x, at, kStep, batch, cols);
    if constexpr (RESIDUAL) add_residual(row, residual, sum, at, kStep, batch);
    if constexpr (RMS) {
      Part some;
      some.v[0] = wt::squares_of<T, VEC, BATCH>(batch);
      part.merge(some);
    } else {
      part.merge(wt::moments_of<T, VEC, ALIGNED, BATCH>(row, batch, at, kStep));
    }
  }
  const Statistics all = statistics_of(exchange.merge(part, place.rank, 0), cols, eps);
  of_largest.announce();
  const T* input = RESIDUAL ? sum : x; // each thread reads what it wrote itself
  const auto each_normalised = [&](const auto& use) {
    for (int at = place.first; at < row.vectors; at += BATCH * kStep) {
#pragma unroll
      for (int i = 0; i < BATCH; ++i) batch[i] = row.load(input, at + i * kStep);
#pragma unroll
      for (int i = 0; i < BATCH; ++i) {
        float v[VEC];
        wt::unpack<T, VEC>(batch[i], v);
        load_and_normalise<WEIGHT, BIAS>(row, all, weight, bias, at + i * kStep, v);
        use(v, at + i * kStep);
      }
    }
  };
  Largest largest;
  each_normalised([&](const float(&v)[VEC], int) { add_largest(largest, v); });
  const float scale = scale_of<Q>(of_largest.merge(largest, place.rank, 0), least_scale);
  if (place.first == 0) scales[place.row] = scale;
  const float inverse = 1 / scale;
  each_normalised([&](const float(&v)[VEC], int i) { store_quantised(out, v, inverse, y, i); });
}
