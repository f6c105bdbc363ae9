// A dense tensor gathered from rows that begin at any address: its vectors lie aligned, what they are read from does
// not.
#pragma once

#include "common/broadcast.cuh"

namespace wt {

// The elements from `at` on that follow each other in memory.
template <typename T> struct Piece {
  const T* at;
  i64 left;
};

// Sixteen bytes of a piece that has as many: its aligned words, shifted by half a word where it begins inside one.
template <typename T> __device__ __forceinline__ Vec<T, 16 / sizeof(T)> load_shifted(const T* at, bool begins_inside) {
  Vec<T, 16 / sizeof(T)> out;
  const u32* words = reinterpret_cast<const u32*>(at - (begins_inside ? 1 : 0));
  u32 held[5];
#pragma unroll
  for (int k = 0; k < 4; ++k) held[k] = words[k];
  held[4] = begins_inside ? words[4] : 0;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    reinterpret_cast<u32*>(&out)[k] = __funnelshift_r(held[k], held[k + 1], begins_inside ? 16 : 0);
  return out;
}

// Tile `tile` of y, in BLOCK * UNROLL vectors. piece_at(row, column): where these elements of y come from. WIDE: y has
// 2^32 elements or more.
template <bool WIDE, int UNROLL, int BLOCK, int STORES, typename T, typename PieceAt>
__device__ __forceinline__ void gather_tile(T* y, i64 count, i64 cols, i64 tile, const PieceAt& piece_at) {
  constexpr int N = 16 / sizeof(T);
  using Index = typename IndexOf<WIDE>::type;
  Vec<T, N> held[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const i64 begin = (tile * (BLOCK * UNROLL) + u * BLOCK + threadIdx.x) * N;
    if (begin >= count) break;
    Index row = static_cast<Index>(begin) / static_cast<Index>(cols);
    Index column = static_cast<Index>(begin) - row * static_cast<Index>(cols);
    Piece<T> piece = piece_at(i64(row), i64(column));
    const bool begins_inside = reinterpret_cast<u64>(piece.at) % 4 != 0;
    if (piece.left > N || (piece.left == N && !begins_inside)) { // the last word, too, is the piece's
      held[u] = load_shifted(piece.at, begins_inside);
      continue;
    }
#pragma unroll
    for (int k = 0; k < N; ++k) {
      if (begin + k >= count) break;
      held[u].v[k] = *piece.at++;
      ++column;
      if (--piece.left > 0 || begin + k + 1 >= count) continue;
      if (column == static_cast<Index>(cols)) column = 0, ++row;
      piece = piece_at(i64(row), i64(column));
    }
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const i64 begin = (tile * (BLOCK * UNROLL) + u * BLOCK + threadIdx.x) * N;
    if (begin + N <= count) {
      store<STORES>(y + begin, held[u]);
    } else {
#pragma unroll
      for (int k = 0; k < N; ++k)
        if (begin + k < count) y[begin + k] = held[u].v[k];
    }
  }
}

} // namespace wt
