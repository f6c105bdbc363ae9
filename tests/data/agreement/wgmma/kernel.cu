// One warpgroup computes a tile of 64 x 64. In shared memory a slice of 64 rows x 16 columns lies as core matrices of 8
// rows x 16 bytes without swizzle, the two of a row of matrices side by side. The loads pass the L1 by, whose hits would
// differ from run to run.
#include "common/prelude.cuh"

__device__ inline u64 descriptor(u32 address) { // start, 128 bytes along k, 256 bytes along the rows; in units of 16
  return u64((address & 0x3FFFF) >> 4) | (u64(128 >> 4) << 16) | (u64(256 >> 4) << 32);
}

#define SUMS(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])

template <int SLICES>
__global__ void __launch_bounds__(128) wgmma(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, i64 m, i64 n, i64 k) {
  extern __shared__ __align__(128) unsigned char tiles[];
  constexpr int kSlice = 64 * 32, kChunks = SLICES * 2; // bytes; chunks of 16 bytes in a row
  const u32 base = u32(__cvta_generic_to_shared(tiles));
  const i64 row = i64(blockIdx.y) * 64, column = i64(blockIdx.x) * 64;
  float d[32];
#pragma unroll
  for (int i = 0; i < 32; ++i) d[i] = 0;
  for (i64 l = 0; l < k; l += 16 * SLICES) {
    for (int i = threadIdx.x; i < 64 * kChunks; i += 128) {
      const int r = i / kChunks, chunk = i % kChunks;
      unsigned char* place = tiles + chunk / 2 * kSlice + r / 8 * 256 + chunk % 2 * 128 + r % 8 * 16;
      *reinterpret_cast<uint4*>(place) = __ldcg(reinterpret_cast<const uint4*>(a + (row + r) * k + l + chunk * 8));
      *reinterpret_cast<uint4*>(place + SLICES * kSlice) = __ldcg(reinterpret_cast<const uint4*>(b + (column + r) * k + l + chunk * 8));
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int s = 0; s < SLICES; ++s)
      asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
                   "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                   "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
                   : SUMS(0), SUMS(8), SUMS(16), SUMS(24)
                   : "l"(descriptor(base + s * kSlice)), "l"(descriptor(base + (SLICES + s) * kSlice)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  const int lane = threadIdx.x % 32;
  float* out = c + (row + threadIdx.x / 32 * 16 + lane / 4) * n + column + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    out[8 * j] = d[4 * j], out[8 * j + 1] = d[4 * j + 1];
    out[8 * n + 8 * j] = d[4 * j + 2], out[8 * n + 8 * j + 1] = d[4 * j + 3];
  }
}
