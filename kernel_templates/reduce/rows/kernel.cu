// Reductions over contiguous rows, or over pieces of long rows, with one pass. Rows of any length and alignment.
#include "common/early.cuh"
#include "add_pieces.cuh"
#include "column_of.cuh"

// TPR threads work on a piece of a row, RPB pieces a block; BATCH is the number of loads in flight a thread. With SPLIT
// a row has several pieces, and add_pieces gives the result.
template <typename T, typename R, int KIND, int TPR, int RPB, int VEC, int BATCH, bool ALIGNED, bool SPLIT,
          bool DEPENDENT>
__global__ void __launch_bounds__(TPR* RPB)
    reduce_rows(const T* __restrict__ x, R* __restrict__ y, Part<KIND>* __restrict__ parts, float correction, i64 rows,
                i64 n, int piece_length, int pieces) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(BATCH * VEC <= 64, "more than 64 elements of a thread in flight spill");
  wt::wait_for_earlier_work();
  using Row = wt::Row<T, VEC, ALIGNED>;
  const wt::RowPlace<TPR, RPB, 1> place;
  __shared__ wt::RowExchange<Part<KIND>, TPR, RPB, 1> exchange;
  if constexpr (SPLIT && DEPENDENT) wt::launch_dependents();
  const i64 row = SPLIT ? place.row / pieces : place.row;
  const int piece = SPLIT ? static_cast<int>(place.row % pieces) : 0;
  const bool live = row < rows;
  const i64 first = i64(piece) * piece_length, start = live ? row * n + first : 0;
  const int length = live ? static_cast<int>(n - first < piece_length ? n - first : piece_length) : 0;
  Row run(0, length);
  if constexpr (!ALIGNED) {
    run.lead = static_cast<int>(start % VEC);
    run.vectors = (run.lead + length + VEC - 1) / VEC;
  }
  run.first = start - run.lead;
  // A vector that the row shares with its neighbours is read whole, but not beyond the end of the tensor.
  const Row all = run;
  const bool torn = !ALIGNED && live && run.first + i64(run.vectors) * VEC > rows * n;
  if (torn) {
    --run.vectors;
    run.cols = run.vectors > 0 ? run.column(run.vectors) : 0;
  }
  const T* from = x + run.first;
  Part<KIND> part;
  part.begin(place.first);
  for (int at = place.first; at < run.vectors; at += BATCH * TPR) {
    wt::Vec<T, VEC> batch[BATCH];
    float v[BATCH][VEC];
    const auto holds = [&](int i, int k) { return run.holds(at + i * TPR, k); };
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      batch[i] = outside_vector<KIND, T, VEC>();
      if (at + i * TPR < run.vectors) batch[i] = wt::load<wt::kDefault, wt::Vec<T, VEC>>(from + (at + i * TPR) * VEC);
    }
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      wt::unpack<T, VEC>(batch[i], v[i]);
      if (ALIGNED || run.whole(at + i * TPR)) continue;
#pragma unroll
      for (int k = 0; k < VEC; ++k)
        if (!holds(i, k)) v[i][k] = outside<KIND>();
    }
    if (KIND != kVariance || (run.whole(at) && run.whole(at + (BATCH - 1) * TPR)))
      part.add(v, at, TPR, HoldsAll{});
    else
      part.add(v, at, TPR, holds);
  }
  if (torn && place.first == 0) {
    const int last = run.vectors;
    const auto holds = [&](int, int k) { return all.holds(last, k); };
    float v[1][VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k) v[0][k] = holds(0, k) ? wt::to_float(from[last * VEC + k]) : outside<KIND>();
    part.add(v, last, 0, holds);
  }
  part = exchange.merge(part, 0, place.row_in_block);
  if (!live || place.thread != 0) return;
  if constexpr (is_arg(KIND)) part.index = column_of(all, x, part.index, part.value);
  if constexpr (SPLIT)
    parts[piece * rows + row] = part;
  else
    y[row] = result_of<KIND, R>(whole_of<KIND>(part, 0), n, correction);
}
