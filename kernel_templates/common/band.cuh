// A band of rows of an image whose channels are innermost: the pixels of some neighbouring channels, copied to shared
// memory by a block.
#pragma once

#include "common/async.cuh"
#include "common/vec.cuh"

namespace wt {

// CHANNELS neighbouring channels of `pixels` pixels, in whole vectors of 16 bytes. In shared memory the channels of a
// pixel follow one another, without gaps. async_copy_wait_all() and a barrier end the copy. `from`: the first element;
// `channels`: of the whole image.
template <int CHANNELS, int BLOCK, typename T>
__device__ __forceinline__ void copy_band(T* shared, const T* from, int pixels, int channels) {
  constexpr int kVec = 16 / sizeof(T), kAcross = CHANNELS / kVec;
  static_assert(CHANNELS % kVec == 0, "whole vectors");
  for (int i = threadIdx.x; i < pixels * kAcross; i += BLOCK)
    async_copy<16>(shared_address(shared + i * kVec), from + i64(i / kAcross) * channels + i % kAcross * kVec);
}

} // namespace wt
