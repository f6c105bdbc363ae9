// The gradient of a table in segments of equal work: each team of threads streams through neighbouring tokens of the
// sorted order, adds their gradients, and writes neighbouring rows, also those without tokens. A row that is cut by the
// ends of segments gets a part from each; a second launch adds the parts. All orders are fixed.
#include "common/async.cuh"
#include "common/vec.cuh"
#include "segments/finish.cuh"
#include "segments/places.cuh"
#include "segments/radix.cuh"

using namespace wt;

template <int VEC> inline constexpr int kWide = VEC < 4 ? VEC : 4; // floats of an access to the parts

// Where the sums of a row go: to the table, or to the parts of the segment. Part 0: of its first row; part 1: of its
// last one.
template <typename T, int TPR, int VECTORS, int VEC, bool WHOLE, int STORES> struct Columns {
  int first, cols;

  __device__ __forceinline__ int at(int v) const { return first + v * TPR * VEC; }
  __device__ __forceinline__ bool has(int v) const { return WHOLE || at(v) < cols; }
  __device__ __forceinline__ void store(T* row, const float (&sums)[VECTORS][VEC]) const {
#pragma unroll
    for (int v = 0; v < VECTORS; ++v)
      if (has(v)) wt::store<STORES>(row + at(v), pack<T, VEC>(sums[v]));
  }
  __device__ __forceinline__ void store_part(float* part, const float (&sums)[VECTORS][VEC]) const {
#pragma unroll
    for (int v = 0; v < VECTORS; ++v)
#pragma unroll
      for (int k = 0; k < VEC; k += kWide<VEC>) {
        Vec<float, kWide<VEC>> wide;
#pragma unroll
        for (int i = 0; i < kWide<VEC>; ++i) wide.v[i] = sums[v][k + i];
        if (has(v)) wt::store<kDefault>(part + at(v) + k, wide);
      }
  }
};

// TEAMS teams of TPR threads a block, a segment each. COUNTED: starts[rows] is the number of tokens in the table;
// else it is `tokens`. cuts: for a segment whose first row is cut, one more than the row if the segment ends the row,
// else -1; 0 for others.
template <typename T, typename I, typename O, int TPR, int TEAMS, int VECTORS, int VEC, int BATCH, int ITEMS,
          bool PADDING, bool COUNTED, bool WHOLE, int STORES>
__global__ void __launch_bounds__(TPR* TEAMS)
    add_segments(const T* __restrict__ dy, const I* sorted_ids, const O* order, const int* starts, T* dtable,
                 float* parts, int* cuts, i64 padding, int tokens, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  constexpr int kThreads = TPR * TEAMS, kTokens = TEAMS * ITEMS + kLookback;
  __shared__ int ids[kTokens], from[kTokens];
  __shared__ Place begins[TEAMS + 1];
  wt::launch_dependents();
  wt::wait_for_predecessor();
  const i64 item = i64(blockIdx.x) * TEAMS * ITEMS;
  if (threadIdx.x < 32) {
    const int end = threadIdx.x / 16;
    const Place found = find_place(sorted_ids, item + i64(end) * TEAMS * ITEMS, COUNTED ? starts[rows] : tokens,
                                   static_cast<int>(rows));
    if (threadIdx.x % 16 == 0) begins[end * TEAMS] = found;
  }
  __syncthreads();
  const Place block_begin = begins[0], block_end = begins[TEAMS];
  for (int i = threadIdx.x; i < block_end.token - block_begin.token; i += kThreads) {
    const int row = row_of(sorted_ids[block_begin.token + i]);
    ids[i] = row;
    from[i] = PADDING && row == padding ? 0 : static_cast<int>(order[block_begin.token + i]); // 0: of no use, but near
  }
  __syncthreads();
  if constexpr (TEAMS > 1) {
    for (int i = threadIdx.x + 1; i < TEAMS; i += kThreads)
      begins[i] = find_inner_place(ids, item + i64(i) * ITEMS, block_begin, block_end);
    __syncthreads();
  }
  const int team = threadIdx.x / TPR, thread = threadIdx.x % TPR;
  const Place begin = begins[team], end = begins[team + 1];
  const int first = begin.token - block_begin.token, last = end.token - block_begin.token;
  const i64 segment = i64(blockIdx.x) * TEAMS + team;
  if (thread == 0) cuts[segment] = !begin.is_cut ? 0 : begin.row < end.row ? begin.row + 1 : -1;

  for (int base = 0; base < cols; base += TPR * VECTORS * VEC) {
    const Columns<T, TPR, VECTORS, VEC, WHOLE, STORES> columns{base + thread * VEC, cols};
    float sums[VECTORS][VEC] = {};
    int row = begin.row;
    const auto write_rows = [&](int before) { // the sums, then zeros
      if (row >= before) return;
      T* to = dtable + i64(row) * cols;
      if (row == begin.row && begin.is_cut)
        columns.store_part(parts + 2 * segment * cols, sums);
      else
        columns.store(to, sums);
#pragma unroll
      for (int v = 0; v < VECTORS; ++v)
#pragma unroll
        for (int k = 0; k < VEC; ++k) sums[v][k] = 0.0f;
#pragma unroll 1
      for (++row; row < before; ++row) columns.store(to += cols, {});
    };
#pragma unroll 1 // BATCH says how many loads
    for (int at = first; at < last; at += BATCH) {
      Vec<T, VEC> batch[BATCH][VECTORS];
#pragma unroll
      for (int i = 0; i < BATCH; ++i) { // at the end some tokens again, because loads under conditions would wait
        const T* const gradient = dy + i64(from[min(at + i, last - 1)]) * cols;
#pragma unroll
        for (int v = 0; v < VECTORS; ++v)
          if (columns.has(v)) batch[i][v] = wt::load<kDefault, Vec<T, VEC>>(gradient + columns.at(v));
      }
      if constexpr (BATCH > 1) __syncwarp(__activemask()); // else the compiler puts additions between the loads
#pragma unroll
      for (int i = 0; i < BATCH; ++i) {
        if (at + i >= last) break;
        const int id = ids[at + i];
        write_rows(min(id, end.row));
        if (id != row || (PADDING && id == padding)) continue;
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) {
          float values[VEC];
          unpack<T, VEC>(batch[i][v], values);
#pragma unroll
          for (int k = 0; k < VEC; ++k) sums[v][k] += values[k];
        }
      }
    }
    write_rows(end.row);
    if (end.is_cut) columns.store_part(parts + (2 * segment + 1) * cols, sums);
  }
}
