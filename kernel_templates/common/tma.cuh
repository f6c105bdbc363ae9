// Tiles between global and shared memory through tensor maps: one thread starts a copy, the copy engine moves it. Shared
// addresses are multiples of 128 bytes (of 1024 where the map is 128-byte swizzled). Parts of a box that lie outside the
// tensor arrive as the map's fill (and count among the bytes) and are not stored.
#pragma once

#include "common/async.cuh"

namespace wt {

__device__ __forceinline__ void tma_prefetch(const TensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// The box at (x, y, z), innermost first, into this block's shared memory; its bytes complete at `barrier`.
__device__ __forceinline__ void tma_load(void* shared, const TensorMap* map, int x, int y, int z, u64* barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(
                   shared_address(shared)),
               "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
               : "memory");
}
// The same box into the L2 cache.
__device__ __forceinline__ void tma_prefetch_box(const TensorMap* map, int x, int y, int z) {
  asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];" ::"l"(map), "r"(x), "r"(y), "r"(z) : "memory");
}
// The same into the blocks of the cluster that `mask` names by rank, at the same offsets, each with its own barrier.
__device__ __forceinline__ void tma_load_multicast(void* shared, const TensorMap* map, int x, int y, int z, u64* barrier,
                                                   u16 mask) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, "
               "{%2, %3, %4}], [%5], %6;" ::"r"(shared_address(shared)),
               "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier)), "h"(mask)
               : "memory");
}
// Follow with bulk_commit(); ordinary writes of the source need async_proxy_fence() and a barrier before it.
__device__ __forceinline__ void tma_store(const TensorMap* map, const void* shared, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map), "r"(x), "r"(y),
               "r"(z), "r"(shared_address(shared))
               : "memory");
}

// One arrival at a peer's barrier, for accesses of this thread's warpgroup that are complete (wgmma_wait): the plain form,
// since a release for the whole cluster waits for every earlier write of the thread.
__device__ __forceinline__ void barrier_arrive_peer(u64* barrier, u32 rank) {
  asm volatile("{\n.reg .b32 peer;\nmapa.shared::cluster.u32 peer, %0, %1;\nmbarrier.arrive.shared::cluster.b64 _, [peer];\n}" ::"r"(
                   shared_address(barrier)),
               "r"(rank)
               : "memory");
}

// Four 8 x 8 matrices of 16-bit pairs from the registers of a warp, one row of one matrix at each lane's address.
template <bool TRANSPOSED>
__device__ __forceinline__ void store_matrices(u32 address, u32 x0, u32 x1, u32 x2, u32 x3) {
  if constexpr (TRANSPOSED)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(x0), "r"(x1), "r"(x2),
                 "r"(x3)
                 : "memory");
  else
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(x0), "r"(x1), "r"(x2), "r"(x3)
                 : "memory");
}
// The reverse: what store_matrices stored, from the same address.
struct Matrices {
  u32 x[4];
};
template <bool TRANSPOSED> __device__ __forceinline__ Matrices load_matrices(u32 address) {
  Matrices m;
  if constexpr (TRANSPOSED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(m.x[0]), "=r"(m.x[1]), "=r"(m.x[2]), "=r"(m.x[3])
                 : "r"(address)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(m.x[0]), "=r"(m.x[1]), "=r"(m.x[2]), "=r"(m.x[3])
                 : "r"(address)
                 : "memory");
  return m;
}

} // namespace wt
