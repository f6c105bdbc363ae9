// Cumulative sums or products along contiguous rows. Threads of a row scan it in chunks, one after the other, and load
// the next chunk while they scan one. Rows of any length and alignment. All orders are fixed.
#include "common/early.cuh"
#include "scan.cuh"

using namespace wt;

enum Mode : int {
  kRows,
  kTotals,
  kPieces
}; // whole rows; the totals of pieces of rows; pieces that begin with an offset

// TPR threads work on a row or piece, RPB of them a block, with BATCH vectors a thread in a chunk. `offsets` and
// `totals` have an element for each piece, which has the number row * pieces + piece. REVERSE: from the end of a row.
template <typename T, bool PRODUCT, bool EXCLUSIVE, bool REVERSE, bool MASKED, int MODE, int TPR, int RPB, int VEC,
          int BATCH, bool ALIGNED>
__global__ void __launch_bounds__(TPR* RPB)
    scan_rows(const T* __restrict__ x, const bool* __restrict__ mask, T* __restrict__ y,
              const float* __restrict__ offsets, float* __restrict__ totals, i64 rows, i64 n, int piece_length,
              int pieces) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  using V = Vec<T, VEC>;
  constexpr int kLanes = TPR < 32 ? TPR : 32, kWarps = TPR / kLanes;
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
  Chosen<VEC> chosen[BATCH] = {}; // only with a mask
  const auto load = [&](int base) {
#pragma unroll
    for (int b = 0; b < BATCH; ++b) {
      const int i = base + b * TPR + place.thread;
#pragma unroll
      for (int k = 0; k < VEC; ++k) next[b].v[k] = from_float<T>(kNothing<PRODUCT>);
      if (i < run.vectors && (ALIGNED || run.whole(vector_at(i)))) {
        next[b] = wt::load<kDefault, V>(x + run.first + i64(vector_at(i)) * VEC);
        if constexpr (MASKED) chosen[b] = wt::load<kDefault, Chosen<VEC>>(mask + run.first + i64(vector_at(i)) * VEC);
      }
    }
    if constexpr (!ALIGNED) {
#pragma unroll
      for (int b = 0; b < BATCH; ++b)
        if (const int i = base + b * TPR + place.thread; i < run.vectors && !run.whole(vector_at(i))) {
          next[b] = run.load(x, vector_at(i), kNothing<PRODUCT>);
          if constexpr (MASKED) chosen[b] = load_chosen(run, mask, vector_at(i));
        }
    }
  };
  float carry = MODE == kPieces && live ? offsets[place.row] : kNothing<PRODUCT>;
  load(0);
  for (int base = 0, turn = 0; base < longest; base += BATCH * TPR, turn ^= 1) {
    float v[BATCH][VEC], before[BATCH];
#pragma unroll
    for (int b = 0; b < BATCH; ++b) {
      if constexpr (MASKED) leave_out<PRODUCT>(next[b], chosen[b]);
      unpack<T, VEC>(next[b], v[b]);
    }
    load(base + BATCH * TPR);
    float all[BATCH];
#pragma unroll
    for (int b = 0; b < BATCH; ++b) {
      const float scanned = scan_lanes<PRODUCT, kLanes>(scan_vector<PRODUCT, REVERSE>(v[b]));
      before[b] = before_lane<PRODUCT, kLanes>(scanned);
      all[b] = __shfl_sync(0xffffffffu, scanned, kLanes - 1, kLanes);
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
        if (i < run.vectors)
          run.store(y, vector_at(i), results_of<T, PRODUCT, EXCLUSIVE, REVERSE>(v[b], before[b]));
      }
    }
  }
  if (MODE == kTotals && live && place.thread == 0) totals[place.row] = carry;
}
