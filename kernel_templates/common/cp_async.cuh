// Asynchronous copies from global to shared memory (cp.async) of 4 or 16 bytes a thread, and the groups they wait in.
// `shared` is an address of the shared window (__cvta_generic_to_shared); both addresses are aligned to the copy's
// size. With `valid` false the destination is filled with zeros and the source is not read, so it may lie outside its
// buffer.
#pragma once

namespace wt {

__device__ __forceinline__ void cp_async_4(unsigned shared, const void* global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(global) : "memory");
}

__device__ __forceinline__ void cp_async_4(unsigned shared, const void* global, bool valid) {
  const int bytes = valid ? 4 : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(global), "r"(bytes) : "memory");
}

// 16-byte copies bypass L1 (.cg): a tile is read once by its block.
__device__ __forceinline__ void cp_async_16(unsigned shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}

__device__ __forceinline__ void cp_async_16(unsigned shared, const void* global, bool valid) {
  const int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(bytes) : "memory");
}

// Closes this thread's current group; a group may be empty.
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Returns once at most `Pending` of this thread's latest groups are unfinished. Other threads' copies need a barrier.
template <int Pending> __device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

} // namespace wt
