// The sums of streams.cuh with the short side's operand in shared memory, for fp32: cp.async brings a slice of it while the block
// multiplies the previous one. L1 returns loads in order, so through the caches even values that hit arrive behind all earlier loads of
// the long side's operand; those from shared memory do not.
#pragma once

#include "common/async.cuh"
#include "common/vec.cuh"

// SLICE of k of the FEW, in shared memory as [FEW][kPitch], whether or not memory has them ALONG_K.
template <int FEW, int SLICE, int THREADS, bool ALONG_K> struct FewSlice {
  static constexpr int kPitch = SLICE + 4; // 8 of the few have their vectors in different banks
  static constexpr int kFloats = FEW * kPitch;

  // Starts the copies from `first` of k on; nothing beyond `end` is copied.
  static __device__ __forceinline__ void fetch(float* to, const float* few, int first, int end, int k) {
    constexpr int kWidth = ALONG_K ? 4 : 1, kPerRow = SLICE / kWidth;
    const u32 shared = wt::shared_address(to);
#pragma unroll 4
    for (int i = threadIdx.x; i < FEW * kPerRow; i += THREADS) {
      const int row = ALONG_K ? i / kPerRow : i % FEW, deep = ALONG_K ? i % kPerRow * 4 : i / FEW;
      const float* const from = few + (ALONG_K ? row * k + first + deep : (first + deep) * FEW + row);
      if (first + deep < end) wt::async_copy<kWidth * 4>(shared + (row * kPitch + deep) * 4, from);
    }
  }
};

// 4 of k of MANY rows or columns, as a lane loads them: vectors along k, or vectors of 4 columns.
template <bool ALONG_K, int MANY, int HINT> struct ManyBlock {
  static constexpr int kBases = ALONG_K ? MANY : MANY / 4;
  wt::Vec<float, 4> vectors[MANY];

  __device__ __forceinline__ void load(const float* const (&from)[kBases], int pitch) {
#pragma unroll
    for (int i = 0; i < MANY; ++i)
      vectors[i] = wt::load<HINT, wt::Vec<float, 4>>(from[i % kBases] + i64(i / kBases) * pitch);
  }
  __device__ __forceinline__ float at(int many, int deep) const {
    return ALONG_K ? vectors[many].v[deep] : vectors[deep * kBases + many / 4].v[many % 4];
  }
};

// Adds what lies from `begin` to `end` of k, multiples of 4. BLOCKS: blocks of the long side's operand that a lane has in flight. `bases`:
// where each row or column of the lane begins. `shared`: min(2, slices) slices. The K_WARPS warps that share k take blocks in turns; `own`
// is the number of this one.
template <int FEW, int MANY, int BLOCKS, int SLICE, int WARPS, int K_WARPS, bool ALONG_K, bool FEW_ALONG_K, int HINT>
__device__ __forceinline__ void add_slices(float (&sums)[MANY][FEW], const float* (&bases)[ManyBlock<ALONG_K, MANY, HINT>::kBases],
                                           int pitch, const float* few, float* shared, int own, int begin, int end, int k) {
  using Few = FewSlice<FEW, SLICE, WARPS * 32, FEW_ALONG_K>;
  using Block = ManyBlock<ALONG_K, MANY, HINT>;
  constexpr int kOfWarp = ALONG_K ? 32 * 4 : 4, kStep = K_WARPS * kOfWarp; // of k
  static_assert(SLICE % (BLOCKS * kStep) == 0);
  const int in_step = own * kOfWarp + (ALONG_K ? threadIdx.x % 32 * 4 : 0);

  Block blocks[BLOCKS];
  int depth = begin + in_step; // of the next load
  const i64 advance = ALONG_K ? kStep : i64(kStep) * pitch;
#pragma unroll
  for (int i = 0; i < Block::kBases; ++i) bases[i] += ALONG_K ? depth : i64(depth) * pitch;
  const auto load = [&](Block& to) {
    if (depth < end) to.load(bases, pitch);
#pragma unroll
    for (int i = 0; i < Block::kBases; ++i) bases[i] += advance;
    depth += kStep;
  };

#pragma unroll
  for (int i = 0; i < BLOCKS; ++i) load(blocks[i]);
  Few::fetch(shared, few, begin, end, k);
  int reading = 0;
  for (int first = begin; first < end; first += SLICE) {
    wt::async_copy_wait_all();
    __syncthreads(); // the slice has arrived, and no warp reads the other one
    if (first + SLICE < end) Few::fetch(shared + (Few::kFloats - reading), few, first + SLICE, end, k);
    const float* from = shared + reading + in_step;
#pragma unroll 1
    for (int step = 0; step < SLICE; step += BLOCKS * kStep) {
#pragma unroll
      for (int i = 0; i < BLOCKS; ++i) {
        if (depth - BLOCKS * kStep < end) {
#pragma unroll
          for (int f = 0; f < FEW; ++f) {
            const float4 four = *reinterpret_cast<const float4*>(from + f * Few::kPitch + i * kStep);
            const float of_few[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (int d = 0; d < 4; ++d)
#pragma unroll
              for (int j = 0; j < MANY; ++j) sums[j][f] = fmaf(blocks[i].at(j, d), of_few[d], sums[j][f]);
          }
        }
        load(blocks[i]);
      }
      from += BLOCKS * kStep;
    }
    reading = Few::kFloats - reading;
  }
}
