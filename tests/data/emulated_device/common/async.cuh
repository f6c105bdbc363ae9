// Replaces the shipped header. Bulk copies are done at once. A barrier counts its phases and the bytes that are still
// to arrive.
#pragma once

#include "common/prelude.cuh"

namespace wt {

// Blocks of a cluster run in threads of their own, so that a barrier changes as a whole.
inline void add_bytes(u64* barrier, u64 bytes) {
  u64 seen = __atomic_load_n(barrier, __ATOMIC_SEQ_CST), next = 0;
  do {
    next = seen + (bytes << 32);
    if (next >> 32 == 0) next = static_cast<u32>(next) + 1;
  } while (!__atomic_compare_exchange_n(barrier, &seen, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}
inline void barrier_init(u64* barrier, u32) { *barrier = 0; }
inline void barrier_init_fence() {}
inline void barrier_arrive_expect(u64* barrier, u32 bytes) {
  add_bytes(barrier, bytes);
}
inline void barrier_wait(const u64* barrier, u32 phase) {
  while ((static_cast<u32>(__atomic_load_n(barrier, __ATOMIC_SEQ_CST)) & 1) == phase) emulated::yield();
}
inline void bulk_load(void* shared, const void* global, u32 bytes, u64* barrier) {
  if ((reinterpret_cast<std::uintptr_t>(shared) | reinterpret_cast<std::uintptr_t>(global) | bytes) % 16)
    emulated::stop("misaligned bulk copy");
  emulated::check_inside(global, bytes);
  std::memcpy(shared, global, bytes);
  add_bytes(barrier, u64(0) - bytes);
}

inline u32 cluster_rank() { return static_cast<u32>(emulated::block->rank); }
inline void cluster_arrive() {
  ++emulated::block->cluster_rounds[emulated::block->thread];
  ++emulated::block->cluster->arrivals;
}
inline void cluster_wait() {
  const emulated::Block& block = *emulated::block;
  const long all = block.cluster_rounds[block.thread] * block.threads * block.blocks;
  while (block.cluster->arrivals < all) emulated::yield();
}
inline std::uintptr_t peer_address(const void* shared, u32 rank) {
  const std::vector<std::uintptr_t>& anchors = emulated::block->cluster->shared;
  return reinterpret_cast<std::uintptr_t>(shared) - anchors[emulated::block->rank] + anchors[rank];
}
inline void store_remote(std::uintptr_t address, float2 value) {
  std::memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
}
inline void store_remote_async(std::uintptr_t address, float2 value, std::uintptr_t barrier) {
  store_remote(address, value);
  add_bytes(reinterpret_cast<u64*>(barrier), u64(0) - sizeof value);
}

// As on a device, an address of 32 bits, relative to a place in the block's shared memory.
inline std::uintptr_t shared_window() { return emulated::block->cluster->shared[emulated::block->rank]; }
inline u32 shared_address(const void* pointer) {
  return static_cast<u32>(reinterpret_cast<std::uintptr_t>(pointer) - shared_window());
}
// Copies the first `bytes` of BYTES bytes; the rest of the destination becomes zero.
template <int BYTES> void copy_first(u32 shared, const void* global, int bytes) {
  const std::uintptr_t to = shared_window() + static_cast<int>(shared);
  if ((to | (bytes > 0 ? reinterpret_cast<std::uintptr_t>(global) : 0)) % BYTES) emulated::stop("misaligned copy");
  if (bytes > 0) emulated::check_inside(global, bytes);
  std::memset(reinterpret_cast<void*>(to), 0, BYTES);
  if (bytes > 0) std::memcpy(reinterpret_cast<void*>(to), global, bytes);
}
template <int BYTES> void async_copy(u32 shared, const void* global) { copy_first<BYTES>(shared, global, BYTES); }
inline void async_copy_wait_all() {}

inline void launch_dependents() {} // launches run one after another
inline void wait_for_predecessor() {}

} // namespace wt
