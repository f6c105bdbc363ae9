// Reductions over the columns of matrices: a block takes a strip of neighbouring columns of a matrix, or a piece of it.
// Rows of whole 16-byte vectors.
#include "add_pieces.cuh"
#include "column_parts.cuh"
#include "common/async.cuh"
#include "common/cp_async.cuh"
#include "common/early.cuh"

// X threads cover a strip of X vectors, and Y of them take turns at its rows. Copies fill a ring of STAGES slots in
// shared memory ahead of the block; a thread copies only what it reads itself, so the ring needs no barriers. With
// SPLIT a strip has several pieces, and add_pieces gives the result. BLOCKS_PER_SM is the residency that the register
// allocation must allow.
template <typename T, typename R, int KIND, int X, int Y, int STAGES, int BLOCKS_PER_SM, bool SPLIT, bool DEPENDENT>
__global__ void __launch_bounds__(X* Y, BLOCKS_PER_SM)
    reduce_strips(const T* __restrict__ x, R* __restrict__ y, Part<KIND>* __restrict__ parts, float correction,
                  i64 results, i64 n, i64 inner, int piece_length, int pieces, int tiles) {
  wt::wait_for_earlier_work();
  constexpr int kVec = 16 / sizeof(T), kBatch = 4, kWidth = X * kVec, kThreads = X * Y;
  using V = wt::Vec<T, kVec>;
  using Place = Part<KIND>[kVec][X + 2]; // the gap keeps the accesses of neighbouring threads in different banks
  static_assert(wt::is_pow2(Y), "parts are merged by halves");
  static_assert(Y * sizeof(Place) <= STAGES * kBatch * kThreads * sizeof(V), "the parts take the place of the ring");
  if constexpr (SPLIT && DEPENDENT) wt::launch_dependents();
  const int tile = blockIdx.x % tiles, piece = SPLIT ? blockIdx.x / tiles % pieces : 0;
  const int lane = threadIdx.x % X, turn = threadIdx.x / X;
  const i64 outer = blockIdx.x / tiles / (SPLIT ? pieces : 1), column = i64(tile) * kWidth;
  const i64 first = i64(piece) * piece_length;
  const int width = static_cast<int>(inner - column < kWidth ? inner - column : kWidth);
  const int length = static_cast<int>(n - first < piece_length ? n - first : piece_length);

  extern __shared__ __align__(128) u8 memory[];
  V* const slots = reinterpret_cast<V*>(memory) + threadIdx.x; // those of the thread: kThreads apart
  const T* from = x + (outer * n + first + turn) * inner + column + lane * kVec;
  int left = lane * kVec < width ? length - turn : 0; // rows from `from` on
  const auto fetch = [&](int stage) {
#pragma unroll
    for (int i = 0; i < kBatch; ++i)
      if (i * Y < left)
        wt::async_copy<16>(wt::shared_address(slots + (stage * kBatch + i) * kThreads), from + i * Y * inner);
    wt::cp_async_commit();
    from += kBatch * Y * inner;
    left -= kBatch * Y;
  };
  for (int s = 0; s < STAGES; ++s) fetch(s);

  Part<KIND> part[kVec];
#pragma unroll
  for (int k = 0; k < kVec; ++k) part[k].begin(turn);
  for (int at = turn, stage = 0; at < length; at += kBatch * Y) {
    const auto holds = [&](int i, int) { return at + i * Y < length; };
    float v[kVec][kBatch][1];
    wt::cp_async_wait<STAGES - 1>();
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      V value = outside_vector<KIND, T, kVec>();
      if (holds(i, 0)) value = slots[(stage * kBatch + i) * kThreads];
      float some[kVec];
      wt::unpack<T, kVec>(value, some);
#pragma unroll
      for (int k = 0; k < kVec; ++k) v[k][i][0] = some[k];
    }
    if (KIND != kVariance || holds(kBatch - 1, 0))
      add_rows<KIND>(part, v, at, Y, HoldsAll{});
    else
      add_rows<KIND>(part, v, at, Y, holds);
    fetch(stage);
    if (++stage == STAGES) stage = 0;
  }

  // A thread merges the parts of a column, of all turns.
  Place* const places = reinterpret_cast<Place*>(memory);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kVec; ++k) places[turn][k][lane] = part[k];
  __syncthreads();
  for (int own = threadIdx.x; own < width; own += kThreads) {
    Part<KIND> of_turns[Y];
#pragma unroll
    for (int t = 0; t < Y; ++t) of_turns[t] = places[t][own % kVec][own / kVec];
    merge_halves<Y>(of_turns);
    const i64 result = outer * inner + column + own;
    if constexpr (SPLIT)
      parts[piece * results + result] = of_turns[0];
    else
      y[result] = result_of<KIND, R>(whole_of<KIND>(of_turns[0], 0), n, correction);
  }
}
