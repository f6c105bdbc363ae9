// Sums the parts of tiles: the second launch where k is shared out among blocks (Shares in place.cuh).
#pragma once

#include "common/async.cuh"
#include "place.cuh"

// Sums the parts of the tiles that several workers have a part of. A block has 128 of a tile's vectors: of a tile, or, where
// EVENLY, of the tile in which a worker other than the first begins. The residual of `epilogue` is that of the first product.
template <class Thread, int BM, int BN, int BK, int GROUP, bool EVENLY, int WIDTH_C, class E>
__device__ __forceinline__ void sum_parts(const float4* __restrict__ parts, float* __restrict__ c, E epilogue, int m, int n, int k,
                                          int batch, int workers) {
  constexpr int kVectors = BM * BN / 4, kBlocks = kVectors / 128;
  wt::wait_for_predecessor();
  const int tile_slices = (k - 1) / BK + 1;
  const int tiles = ((m - 1) / BM + 1) * ((n - 1) / BN + 1) * batch;
  const Shares shares(tiles, tile_slices, workers);
  const int group = blockIdx.x / kBlocks;
  int tile = group, first = group * (workers / tiles);
  if constexpr (EVENLY) {
    const i64 begin = shares.begin(group + 1);
    tile = int(begin / tile_slices);
    const i64 tile_begin = i64(tile) * tile_slices;
    // Nothing is cut here, or an earlier worker has begun in this tile and its block sums it.
    if (begin == tile_begin || shares.begin(group) > tile_begin) return;
    first = group;
  }
  const int last = shares.worker_of(i64(tile + 1) * tile_slices - 1);
  const int vector = blockIdx.x % kBlocks * 128 + threadIdx.x;
  float4 sum = parts[slot(first, true) * kVectors + vector];
#pragma unroll 8
  for (int worker = first + 1; worker <= last; ++worker) {
    const float4 part = parts[slot(worker, false) * kVectors + vector];
    sum.x += part.x;
    sum.y += part.y;
    sum.z += part.z;
    sum.w += part.w;
  }
  const Thread thread(vector % Thread::kThreads);
  const int i = vector / Thread::kThreads / (Thread::TN / 4), j = vector / Thread::kThreads % (Thread::TN / 4) * 4;
  const TilePlace<BM, BN, GROUP> place(tile + shares.rounds * workers, m, n);
  epilogue.residual += i64(place.product) * m * epilogue.pitch;
  store_four<WIDTH_C>(c, place, thread.row + Thread::down(i), thread.column + Thread::right(j), m, n, sum, epilogue);
}
