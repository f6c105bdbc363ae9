// A dense tensor gathered from rows that begin at any address: its vectors lie aligned, what they are read from does
// not.
#pragma once

#include "common/copy_rows.cuh"

namespace wt {

// The elements from `at` on that follow each other in memory: `left` of them are of the piece, and `beyond` more may be
// read. `at` is in a tensor that begins with a whole vector.
template <typename T, typename Index> struct Piece {
  const T* at;
  Index left, beyond;
};

// Sixteen bytes that begin `inside` bytes into the first of two neighbouring vectors: a shift by words, then by half a
// word.
template <typename V> __device__ __forceinline__ V shifted(const V& low, const V& high, u32 inside) {
  u32 words[8];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    words[k] = reinterpret_cast<const u32*>(&low)[k];
    words[k + 4] = reinterpret_cast<const u32*>(&high)[k];
  }
  const bool two = inside & 8, one = inside & 4;
#pragma unroll
  for (int k = 0; k < 6; ++k) words[k] = two ? words[k + 2] : words[k];
#pragma unroll
  for (int k = 0; k < 5; ++k) words[k] = one ? words[k + 1] : words[k];
  V out;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    reinterpret_cast<u32*>(&out)[k] = __funnelshift_r(words[k], words[k + 1], inside * 8); // modulo 32
  return out;
}

// Vectors of y that have several pieces or are the last, each by as many lanes as it has elements. first: of the vector
// of lane 0; broken: a bit for each lane with such a vector.
template <typename T, typename Index, typename PieceAt>
__device__ __forceinline__ void gather_elements(T* y, Index first, Index count, Index cols, u32 broken,
                                                const PieceAt& piece_at) {
  constexpr int N = 16 / sizeof(T);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  while (broken != 0) {
    u32 mine = broken; // its lowest bit is the vector of this lane
#pragma unroll
    for (int i = 0; i < 32 / N; ++i) {
      if (i < lane / N) mine &= mine - 1;
      broken &= broken - 1;
    }
    if (mine == 0) continue;
    const Index at = first + static_cast<Index>((31 - __clz(mine & (0 - mine))) * N + lane % N);
    if (at >= count) continue;
    const Index row = at / cols;
    y[at] = *piece_at(row, at - row * cols).at;
  }
}

// Tile `tile` of y, in BLOCK * UNROLL vectors. piece_at(row, column): where these elements of y come from; its indices
// have 64 bits if WIDE: y has 2^32 elements or more. The two aligned vectors with the elements of a vector of y are
// read and shifted into place. Vectors of several pieces come last, so that all loads of the others are in flight
// together.
template <bool WIDE, int UNROLL, int BLOCK, int STORES, typename T, typename PieceAt>
__device__ __forceinline__ void gather_tile(T* y, i64 count, i64 cols, i64 tile, const PieceAt& piece_at) {
  constexpr int N = 16 / sizeof(T), kStep = BLOCK * N;
  using V = Vec<T, N>;
  using Index = typename IndexOf<WIDE>::type;
  const i64 first = (tile * (BLOCK * UNROLL) + threadIdx.x) * N;
  const Index all = static_cast<Index>(count);
  Index begin = static_cast<Index>(first);
  Walk<WIDE, kStep> at(first, cols);
  V low[UNROLL], high[UNROLL];
  u32 inside[UNROLL]; // bytes before the elements in their first vector
  bool whole[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const Piece<T, Index> piece = piece_at(at.row, at.col);
    const u64 address = reinterpret_cast<u64>(piece.at);
    inside[u] = static_cast<u32>(address) % 16;
    whole[u] = (begin < all) & (piece.left >= N) & (piece.left + piece.beyond >= 2 * N);
    if (whole[u]) {
      low[u] = load<kDefault, V>(reinterpret_cast<const V*>(address - inside[u]));
      high[u] = load<kDefault, V>(reinterpret_cast<const V*>((address + 15) / 16 * 16)); // the same if nothing is inside
    }
    begin += kStep;
    at.next();
  }
  T* const own = y + first;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u)
    if (whole[u]) store<STORES>(own + u * kStep, shifted(low[u], high[u], inside[u]));
  begin = static_cast<Index>(first) - threadIdx.x % 32 * N; // of the warp
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    gather_elements(y, begin, all, static_cast<Index>(cols), __ballot_sync(0xffffffffu, !whole[u]), piece_at);
    begin += kStep;
  }
}

} // namespace wt
