// The first k elements of each row, sorted. One pass over the row keeps the best of each group of its vectors. The k-th
// best of the groups bounds the results: only groups that reach it are read again, and few elements of them do.
#include "bound.cuh"
#include "common/early.cuh"
#include "common/ptx_numbers.cuh"
#include "common/rows.cuh"
#include "order.cuh"

using namespace wt;

// The better of two numbers. A NaN is the best of the largest, and the last of the smallest.
template <bool LARGEST> __device__ __forceinline__ float best_of(float a, float b) {
  return LARGEST ? max_nan(a, b) : fminf(a, b);
}

// TPR threads work on a row, RPB rows a block, with BATCH loads in flight a thread. Vector i of a row belongs to group
// i % (TPR * GROUPS). CAPACITY: of the elements that reach the bound; if there are more, the bound is raised.
template <typename T, typename I, bool LARGEST, int TPR, int RPB, int VEC, int BATCH, int GROUPS, int CAPACITY,
          bool ALIGNED>
__global__ void __launch_bounds__(TPR* RPB)
    top_k_rows(const T* __restrict__ x, T* __restrict__ values, I* __restrict__ indices, i64 rows, int n, int k) {
  static_assert(RPB == 1 || TPR == 32, "only a warp works on one of several rows of a block");
  static_assert(BATCH % GROUPS == 0, "a load of a batch is always of the same group");
  wt::wait_for_earlier_work();
  using V = Vec<T, VEC>;
  constexpr int kGroups = TPR * GROUPS;
  __shared__ __align__(16) u64 found[RPB][CAPACITY];
  __shared__ int reached[RPB][kGroups], counts[RPB][2];
  __shared__ u64 raised[RPB];
  __shared__ typename Team<TPR>::Slots slots[RPB];
  const RowPlace<TPR, RPB, 1> place;
  const int own = place.row_in_block, thread = place.thread;
  if (place.row >= rows) return; // a whole warp or a whole block
  Team<TPR> team(slots[own]);
  const Row<T, VEC, ALIGNED> row(place.row, n);
  int& groups = counts[own][0];
  int& count = counts[own][1];
  if (thread < 2) counts[own][thread] = 0;

  const float none = __int_as_float(LARGEST ? 0xff800000 : 0x7fc00000); // minus infinity, or NaN
  float bests[GROUPS];
#pragma unroll
  for (int g = 0; g < GROUPS; ++g) bests[g] = none;
  for (int at = thread; at < row.vectors; at += BATCH * TPR) {
    V batch[BATCH];
    row.load_batch(x, at, TPR, batch, n, none);
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      float v[VEC];
      unpack<T, VEC>(batch[i], v);
#pragma unroll
      for (int e = 0; e < VEC; ++e) bests[i % GROUPS] = best_of<LARGEST>(bests[i % GROUPS], v[e]);
    }
  }
  u32 keys[GROUPS];
#pragma unroll
  for (int g = 0; g < GROUPS; ++g) keys[g] = key_of<LARGEST>(bests[g]);
  const u32 bound = bound_of<kLowestBit<T>>(keys, static_cast<u32>(k), team);

  team.sync();
#pragma unroll
  for (int g = 0; g < GROUPS; ++g)
    if (keys[g] >= bound) reached[own][atomicAdd(&groups, 1)] = g * TPR + thread;
  team.sync();
  const auto rank_of = [&](u64 element, int among) {
    int rank = 0;
#pragma unroll 8
    for (int i = 0; i < among; ++i) rank += found[own][i] > element;
    return rank;
  };
  const int vectors_of_group = (row.vectors + kGroups - 1) / kGroups, items = groups * vectors_of_group;
  for (u64 least = u64(bound) << 32;; least = raised[own]) {
    for (int item = thread; item < items; item += TPR) {
      const int i = reached[own][item % groups] + item / groups * kGroups; // the first of the row first
      if (i >= row.vectors) continue;
      const V vector = row.load(x, i);
#pragma unroll
      for (int e = 0; e < VEC; ++e) {
        const u64 element = place_of(key_of<LARGEST>(to_float(vector.v[e])), row.column(i) + e);
        if (element < least || !row.holds(i, e)) continue;
        if (const int at = atomicAdd(&count, 1); at < CAPACITY) found[own][at] = element;
      }
    }
    team.sync();
    if (count <= CAPACITY) break;
    // Of any of these elements at least k are not below the k-th best of those that were kept.
    for (int i = thread; i < CAPACITY; i += TPR)
      if (rank_of(found[own][i], CAPACITY) == k - 1) raised[own] = found[own][i];
    team.sync();
    if (thread == 0) count = 0;
    team.sync();
  }
  const int candidates = count;
  for (int i = thread; i < candidates; i += TPR) {
    const u64 element = found[own][i];
    const int rank = rank_of(element, candidates);
    if (rank >= k) continue;
    values[place.row * k + rank] = from_float<T>(number_of<LARGEST>(key_at(element)));
    indices[place.row * k + rank] = index_at(element);
  }
}
