// Pooling of whole planes: threads share a plane, which is contiguous. Planes of any length and alignment.
#include "common/early.cuh"
#include "common/row_exchange.cuh"
#include "common/rows.cuh"
#include "pooled.cuh"

// Of some elements of a plane. Threads hold elements in any order, so a merge compares places.
template <int OP> struct alignas(8) Part {
  static constexpr int kFloats = 2, kNone = 0x7fffffff;
  Pooled<OP, float, 1> all;

  __device__ __forceinline__ Part() { all.clear(kNone); }
  __device__ __forceinline__ void merge(const Part& other) {
    const float own = all.v[0], value = other.all.v[0];
    if constexpr (has_place(OP)) {
      const bool is_later = other.all.place[0] > all.place[0];
      const bool wins = value != value ? own == own || is_later : value > own || (value == own && !is_later);
      if (wins) all = other.all;
    } else {
      all.add(&value, 0);
    }
  }
};

// TPR threads work on a plane of `length` elements, RPB planes a block; BATCH is the number of loads in flight a
// thread.
template <typename T, typename I, int OP, int TPR, int RPB, int VEC, int BATCH, bool ALIGNED>
__global__ void __launch_bounds__(TPR* RPB)
    pool_planes(const T* __restrict__ x, T* __restrict__ y, I* __restrict__ indices, i64 planes, int length) {
  static_assert(BATCH * VEC <= 64, "more than 64 elements of a thread in flight spill");
  wt::wait_for_earlier_work();
  using Row = wt::Row<T, VEC, ALIGNED>;
  using V = typename Row::V;
  const wt::RowPlace<TPR, RPB, 1> place;
  __shared__ wt::RowExchange<Part<OP>, TPR, RPB, 1> exchange;
  const bool live = place.row < planes;
  const Row row(live ? place.row : 0, live ? length : 0);
  Part<OP> part;
  for (int at = place.first; at < row.vectors; at += BATCH * TPR) {
    V held[BATCH];
#pragma unroll
    for (int b = 0; b < BATCH; ++b) {
      const int i = at + b * TPR;
      const i64 from = row.first + i64(i) * VEC;
      // A vector that the plane shares with its neighbours is read whole, but not beyond the end of the tensor.
      const bool is_inside = i < row.vectors && (ALIGNED || from + VEC <= planes * length);
      held[b] = is_inside ? wt::load<wt::kDefault, V>(x + from) : row.load(x, i, outside<OP, float>());
    }
#pragma unroll
    for (int b = 0; b < BATCH; ++b) {
      float v[VEC];
      wt::unpack<T, VEC>(held[b], v);
#pragma unroll
      for (int k = 0; k < VEC; ++k)
        if (row.holds(at + b * TPR, k)) part.all.add(&v[k], row.column(at + b * TPR) + k);
    }
  }
  part = exchange.merge(part, 0, place.row_in_block);
  if (!live || place.thread != 0) return;
  if constexpr (is_average(OP)) part.all.scale(__fdividef(1.0f, static_cast<float>(length)));
  y[place.row] = wt::from_float<T>(part.all.v[0]);
  // A plane of minus infinity has its maximum at its first element.
  if constexpr (has_place(OP))
    indices[place.row] = static_cast<I>(part.all.place[0] == Part<OP>::kNone ? 0 : part.all.place[0]);
}
