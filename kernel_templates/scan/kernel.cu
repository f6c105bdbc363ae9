// Cumulative sums or products along contiguous rows. Threads of a row scan it in chunks, one after the other, and load
// the next chunk while they scan one. Rows of any length and alignment. All orders are fixed.
#include "common/rows.cuh"

using namespace wt;

template <bool PRODUCT> __device__ __forceinline__ float both(float a, float b) { return PRODUCT ? a * b : a + b; }

// The result for all lanes before this one, of WIDTH neighbours, and for all of them.
template <bool PRODUCT, int WIDTH> struct LaneScan {
  float before, all;

  __device__ __forceinline__ explicit LaneScan(float value) {
    const int lane = threadIdx.x % WIDTH;
#pragma unroll
    for (int offset = 1; offset < WIDTH; offset *= 2) {
      const float lower = __shfl_up_sync(0xffffffffu, value, offset, WIDTH);
      if (lane >= offset) value = both<PRODUCT>(lower, value);
    }
    all = __shfl_sync(0xffffffffu, value, WIDTH - 1, WIDTH);
    before = __shfl_up_sync(0xffffffffu, value, 1, WIDTH);
    if (lane == 0) before = PRODUCT ? 1.0f : 0.0f;
  }
};

enum Mode : int {
  kRows,
  kTotals,
  kPieces
}; // whole rows; the totals of pieces of rows; pieces that begin with an offset

// TPR threads work on a row or piece, RPB of them a block, with BATCH vectors a thread in a chunk. `offsets` and
// `totals` have an element for each piece, which has the number row * pieces + piece. REVERSE: from the end of a row.
template <typename T, bool PRODUCT, bool EXCLUSIVE, bool REVERSE, int MODE, int TPR, int RPB, int VEC, int BATCH,
          bool ALIGNED>
__global__ void __launch_bounds__(TPR* RPB)
    scan_rows(const T* __restrict__ x, T* __restrict__ y, const float* __restrict__ offsets, float* __restrict__ totals,
              i64 rows, i64 n, int piece_length, int pieces) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  using V = Vec<T, VEC>;
  constexpr int kLanes = TPR < 32 ? TPR : 32, kWarps = TPR / kLanes;
  constexpr float kNothing = PRODUCT ? 1.0f : 0.0f;
  const RowPlace<TPR, RPB, 1> place;
  __shared__ float of_warps[2][RPB][BATCH][kWarps]; // in turn: a fast warp may write while a slow one still reads
  const int piece = MODE == kRows ? 0 : static_cast<int>(place.row % pieces);
  const i64 row = MODE == kRows ? place.row : place.row / pieces, skipped = i64(piece) * piece_length;
  const bool live = row < rows;
  const i64 start = live ? row * n + skipped : 0;
  const int length = live ? static_cast<int>(n - skipped < piece_length ? n - skipped : piece_length) : 0;
  Row<T, VEC, ALIGNED> run(0, length);
  run.lead = ALIGNED ? 0 : static_cast<int>(start % VEC);
  run.first = start - run.lead;
  run.vectors = (run.lead + length + VEC - 1) / VEC;
  const auto vector_at = [&](int i) { return REVERSE ? run.vectors - 1 - i : i; };
  // Threads of a block meet at barriers, so all take as many chunks as the longest row needs.
  const int longest = static_cast<int>((n < piece_length ? n : piece_length) + 2 * VEC - 2) / VEC;

  V next[BATCH];
  const auto load = [&](int base) {
#pragma unroll
    for (int b = 0; b < BATCH; ++b) {
      const int i = base + b * TPR + place.thread;
#pragma unroll
      for (int k = 0; k < VEC; ++k) next[b].v[k] = from_float<T>(kNothing);
      if (i < run.vectors && (ALIGNED || run.whole(vector_at(i))))
        next[b] = wt::load<kDefault, V>(x + run.first + i64(vector_at(i)) * VEC);
    }
    if constexpr (!ALIGNED) {
#pragma unroll
      for (int b = 0; b < BATCH; ++b)
        if (const int i = base + b * TPR + place.thread; i < run.vectors && !run.whole(vector_at(i)))
          next[b] = run.load(x, vector_at(i), kNothing);
    }
  };
  float carry = MODE == kPieces && live ? offsets[place.row] : kNothing;
  load(0);
  for (int base = 0, turn = 0; base < longest; base += BATCH * TPR, turn ^= 1) {
    float v[BATCH][VEC], before[BATCH];
#pragma unroll
    for (int b = 0; b < BATCH; ++b) unpack<T, VEC>(next[b], v[b]);
    load(base + BATCH * TPR);
    float all[BATCH];
#pragma unroll
    for (int b = 0; b < BATCH; ++b) {
#pragma unroll
      for (int k = 1; k < VEC; ++k) {
        const int own = REVERSE ? VEC - 1 - k : k, last = REVERSE ? own + 1 : own - 1;
        v[b][own] = both<PRODUCT>(v[b][last], v[b][own]);
      }
      const LaneScan<PRODUCT, kLanes> lanes(v[b][REVERSE ? 0 : VEC - 1]);
      before[b] = lanes.before;
      all[b] = lanes.all;
      if (kWarps > 1 && threadIdx.x % 32 == 0) of_warps[turn][place.row_in_block][b][place.thread / kLanes] = all[b];
    }
    if constexpr (kWarps > 1) __syncthreads();
#pragma unroll
    for (int b = 0; b < BATCH; ++b) {
      float in_warps = carry; // all before this warp
#pragma unroll
      for (int w = 0; w < kWarps; ++w) {
        if (w == place.thread / kLanes) in_warps = carry;
        carry = both<PRODUCT>(carry, kWarps > 1 ? of_warps[turn][place.row_in_block][b][w] : all[b]);
      }
      before[b] = both<PRODUCT>(in_warps, before[b]);
    }
    if constexpr (MODE != kTotals) {
#pragma unroll
      for (int b = 0; b < BATCH; ++b) {
        const int i = base + b * TPR + place.thread;
        float out[VEC];
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
          const int last = REVERSE ? k + 1 : k - 1;
          const bool is_first = last < 0 || last >= VEC;
          out[k] = !EXCLUSIVE ? both<PRODUCT>(before[b], v[b][k])
                   : is_first ? before[b]
                              : both<PRODUCT>(before[b], v[b][is_first ? 0 : last]);
        }
        if (i < run.vectors) run.store(y, vector_at(i), pack<T, VEC>(out));
      }
    }
  }
  if (MODE == kTotals && live && place.thread == 0) totals[place.row] = carry;
}
