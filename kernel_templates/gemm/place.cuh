// Which sums a tile, a thread and a block of the grid have.
#pragma once

#include "epilogue.cuh"

// A block computes BM x BN sums, a warp (LANES_M * TM) x (LANES_N * TN) of them, a thread TM x TN in blocks of 4 x 4. Which lane is
// where along m and n is up to the implementation.
template <int BM, int BN, int TM_, int TN_, int LANES_M> struct TileOfThreads {
  static constexpr int TM = TM_, TN = TN_, kLanesN = 32 / LANES_M;
  static constexpr int kThreads = BM * BN / (TM * TN);
  static constexpr int kWarpsN = BN / (kLanesN * TN);
  static_assert(BM % (LANES_M * TM) == 0 && BN % (kLanesN * TN) == 0, "whole warp tiles fill the tile of a block");
  static_assert(TM % 4 == 0 && TN % 4 == 0, "operands are read as 16-byte vectors");

  int row, column; // of the first sum, in the tile

  __device__ __forceinline__ TileOfThreads(int warp, int lane_m, int lane_n)
      : row(warp / kWarpsN * (LANES_M * TM) + lane_m * 4), column(warp % kWarpsN * (kLanesN * TN) + lane_n * 4) {}
  // From the first sum to the one of number i.
  static __device__ __forceinline__ constexpr int down(int i) { return i / 4 * LANES_M * 4 + i % 4; }
  static __device__ __forceinline__ constexpr int right(int j) { return j / 4 * kLanesN * 4 + j % 4; }
};

// Tiles in bands of GROUP rows, column by column, product after product of the batch. The last tiles start earlier, so that all of
// their rows and columns are inside C where it has as many; what the tiles before them have is not stored twice. Where operands have been
// padded, tiles may reach as far as the padding, m_end and n_end, instead.
template <int BM, int BN, int GROUP> struct TilePlace {
  int row, column, product;
  int first_row, first_column; // to be stored
  __device__ __forceinline__ TilePlace(int tile, int m, int n) : TilePlace(tile, m, n, m, n) {}
  __device__ __forceinline__ TilePlace(int tile, int m, int n, int m_end, int n_end) {
    const int rows = (m - 1) / BM + 1, columns = (n - 1) / BN + 1;
    product = tile / (rows * columns);
    tile -= product * rows * columns;
    const int band = tile / (GROUP * columns), within = tile - band * GROUP * columns;
    const int height = min(GROUP, rows - band * GROUP);
    first_row = (band * GROUP + within % height) * BM;
    first_column = within / height * BN;
    row = max(0, min(first_row, m_end - BM));
    column = max(0, min(first_column, n_end - BN));
  }
};

// What a worker, a block of the grid, takes: `rounds` whole tiles, every one of them a grid apart, and of the slices of the tiles
// that are left, one tile after another, an equal share, which worker w begins with slice begin(w). A tile that several workers
// have a part of is summed by a second launch, in the order of the workers; a worker leaves its part in the first of its two
// slots, or, where the part starts the tile, in the second.
struct Shares {
  int rounds, workers;
  i64 slices;
  __device__ __forceinline__ Shares(int tiles, int tile_slices, int workers_)
      : rounds(tiles / workers_), workers(workers_), slices(i64(tiles % workers_) * tile_slices) {}
  __device__ __forceinline__ i64 begin(int worker) const { return slices * worker / workers; }
  __device__ __forceinline__ int worker_of(i64 slice) const { return int(((slice + 1) * workers - 1) / slices); }
};
// The turns of one worker: a tile and which slices of it. Not PARTED, there is one, the tile of the block's number.
template <bool PARTED> struct Worker {
  const Shares& shares;
  int tile_slices, turn = 0, tile, first, slices;
  i64 begin, end;
  __device__ __forceinline__ Worker(const Shares& shares_, int tile_slices_)
      : shares(shares_), tile_slices(tile_slices_), begin(PARTED ? shares.begin(blockIdx.x) : 0),
        end(PARTED ? shares.begin(blockIdx.x + 1) : 0) {}
  __device__ __forceinline__ bool next() {
    tile = blockIdx.x;
    first = 0;
    slices = tile_slices;
    if constexpr (!PARTED) return turn++ == 0;
    if (turn < shares.rounds) {
      tile += turn++ * gridDim.x;
      return true;
    }
    if (begin == end) return false;
    tile = int(begin / tile_slices);
    first = int(begin - i64(tile) * tile_slices);
    slices = int(min(i64(tile_slices - first), end - begin));
    begin += slices;
    tile += shares.rounds * gridDim.x;
    return true;
  }
};
__device__ __forceinline__ i64 slot(int worker, bool starts_tile) { return 2 * i64(worker) + starts_tile; }

// Four neighbouring sums to C: everything that leaves passes here. WIDTH divides n and the pitch of C.
template <int WIDTH, typename Place, class E>
__device__ __forceinline__ void store_four(float* __restrict__ c, const Place& place, int down, int right, int m, int n, float4 sums,
                                           const E& epilogue) {
  const int row = place.row + down, column = place.column + right;
  if (row < place.first_row || row >= m) return;
  float* const to = c + (i64(place.product) * m + row) * epilogue.pitch + column;
  const auto inside = [&](int i) { return column + i >= place.first_column && column + i < n; };
  if (inside(0)) sums.x = epilogue.all(sums.x, row, column);
  if (inside(1)) sums.y = epilogue.all(sums.y, row, column + 1);
  if (inside(2)) sums.z = epilogue.all(sums.z, row, column + 2);
  if (inside(3)) sums.w = epilogue.all(sums.w, row, column + 3);
  if constexpr (WIDTH == 4) {
    if (inside(0)) *reinterpret_cast<float4*>(to) = sums;
  } else if constexpr (WIDTH == 2) {
    if (inside(0)) *reinterpret_cast<float2*>(to) = make_float2(sums.x, sums.y);
    if (inside(2)) *reinterpret_cast<float2*>(to + 2) = make_float2(sums.z, sums.w);
  } else {
    if (inside(0)) to[0] = sums.x;
    if (inside(1)) to[1] = sums.y;
    if (inside(2)) to[2] = sums.z;
    if (inside(3)) to[3] = sums.w;
  }
}
