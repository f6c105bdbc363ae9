// Reductions over the columns of matrices: a block takes a strip of neighbouring columns of a matrix, or a piece of it,
// and asynchronous copies fill a ring in shared memory ahead of the block. Rows of whole 16-byte vectors.
#include "add_pieces.cuh"
#include "column_parts.cuh"
#include "strip_ring.cuh"

// X threads cover a strip of X vectors, and Y of them take turns at its rows. The CLUSTER blocks of a cluster take
// neighbouring pieces of a strip and merge their parts. With SPLIT this is a group of several, whose parts add_pieces
// adds up. BLOCKS_PER_SM is the residency that the register allocation must allow.
template <typename T, typename R, int KIND, int X, int Y, int STAGES, int COPIES, int BLOCKS_PER_SM, int CLUSTER,
          bool SPLIT>
__global__ void __launch_bounds__(X* Y, BLOCKS_PER_SM)
    reduce_strips(const T* __restrict__ x, R* __restrict__ y, Part<KIND>* __restrict__ parts, float correction,
                  i64 results, i64 n, i64 inner, int piece_length, int groups, int tiles) {
  constexpr int kVec = 16 / sizeof(T), kBatch = 4, kWidth = X * kVec, kThreads = X * Y;
  static_assert(wt::is_pow2(Y) && wt::is_pow2(CLUSTER) && CLUSTER <= 8, "parts are merged by halves");
  if constexpr (SPLIT) wt::launch_dependents();
  const int rank = blockIdx.x % CLUSTER, tile = blockIdx.x / CLUSTER % tiles, lane = threadIdx.x % X,
            turn = threadIdx.x / X;
  const i64 of_group = blockIdx.x / CLUSTER / tiles, outer = of_group / groups, group = of_group % groups;
  const i64 first = (group * CLUSTER + rank) * piece_length, column = i64(tile) * kWidth;
  const int width = static_cast<int>(inner - column < kWidth ? inner - column : kWidth);
  const int length = n - first < piece_length ? max(static_cast<int>(n - first), 0) : piece_length;
  const int begin = rank * piece_length; // indices count from the begin of the group

  extern __shared__ __align__(128) u8 slots[];
  __shared__ u64 full[STAGES];
  using Ring = StripRing<T, X, Y, kBatch, STAGES, COPIES>;
  Ring ring(x + (outer * n + first) * inner + column, inner, width, length, slots, full);
  Part<KIND> part[kVec];
#pragma unroll
  for (int k = 0; k < kVec; ++k) part[k].begin(begin + turn);
  for (int at = 0; at < length; at += Ring::kRows) {
    const auto holds = [&](int i, int) { return at + turn + i * Y < length; };
    float v[kVec][kBatch][1];
    ring.wait();
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      wt::Vec<T, kVec> value = outside_vector<KIND, T, kVec>();
      if (holds(i, 0)) value = ring.own(i);
      float some[kVec];
      wt::unpack<T, kVec>(value, some);
#pragma unroll
      for (int k = 0; k < kVec; ++k) v[k][i][0] = some[k];
    }
    if (KIND != kVariance || holds(kBatch - 1, 0))
      add_rows<KIND>(part, v, begin + at + turn, Y, HoldsAll{});
    else
      add_rows<KIND>(part, v, begin + at + turn, Y, holds);
    ring.refill();
  }

  // A thread merges the parts of a column, of all turns and then of all blocks of the cluster. The gap keeps the
  // accesses of neighbouring threads in different banks.
  using Place = Part<KIND>[kVec][X + 2];
  Place* const places = reinterpret_cast<Place*>(slots);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kVec; ++k) places[turn][k][lane] = part[k];
  __syncthreads();
  constexpr int kColumns = wt::ceil_div(kWidth, kThreads);
  Part<KIND> merged[kColumns];
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    const int own = threadIdx.x + c * kThreads;
    Part<KIND> of_turns[Y];
#pragma unroll
    for (int t = 0; t < Y; ++t)
      if (own < kWidth) of_turns[t] = places[t][own % kVec][own / kVec];
    merge_halves<Y>(of_turns);
    merged[c] = of_turns[0];
  }
  if constexpr (CLUSTER > 1) {
    // In the memory of the first block, once all blocks have read their rings.
    const auto others = reinterpret_cast<Part<KIND>(*)[kWidth]>(slots);
    wt::cluster_arrive();
    wt::cluster_wait();
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const int own = threadIdx.x + c * kThreads;
      if (own >= kWidth) continue;
#pragma unroll
      for (int w = 0; w < int(sizeof(Part<KIND>) / sizeof(float2)); ++w)
        wt::store_remote(wt::peer_address(reinterpret_cast<float2*>(&others[rank][own]) + w, 0),
                         reinterpret_cast<const float2*>(&merged[c])[w]);
    }
    wt::cluster_arrive();
    wt::cluster_wait();
    if (rank > 0) return;
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const int own = threadIdx.x + c * kThreads;
      Part<KIND> of_blocks[CLUSTER];
#pragma unroll
      for (int b = 0; b < CLUSTER; ++b)
        if (own < kWidth) of_blocks[b] = others[b][own];
      merge_halves<CLUSTER>(of_blocks);
      merged[c] = of_blocks[0];
    }
  }
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    const int own = threadIdx.x + c * kThreads;
    if (own >= width) continue;
    const i64 result = outer * inner + column + own;
    if constexpr (SPLIT)
      parts[group * results + result] = merged[c];
    else
      y[result] = result_of<KIND, R>(whole_of<KIND>(merged[c], 0), n, correction);
  }
}
