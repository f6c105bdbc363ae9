// The tensor-core ceiling of Hopper (sm_90a only): m64n256k16 products of pseudo-random bf16 tiles in shared memory. Two
// warpgroups a block share B; the tiles' contents do not matter, only that they are not constant (the power they draw does).
typedef unsigned u32;
typedef unsigned long long u64;

const int kTileBytes = 64 * 1024;

// Shared-memory matrix descriptor without swizzle: address, leading and stride byte offsets in units of 16 bytes.
__device__ inline u64 descriptor(u32 address) {
  return (u64)((address & 0x3FFFF) >> 4) | ((u64)(128 >> 4) << 16) | ((u64)(256 >> 4) << 32);
}

#define ROW(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])

extern "C" __global__ void __launch_bounds__(256, 1) wgmma_bf16(float* sink, int rounds, u32 seed) {
  extern __shared__ __align__(128) unsigned char tiles[];
  u32 state = seed + threadIdx.x * 2654435761u;
  for (int i = threadIdx.x; i < kTileBytes / 4; i += blockDim.x) {
    state = state * 1664525u + 1013904223u;
    ((u32*)tiles)[i] = (state & 0x807F807Fu) | 0x3F003F00u; // magnitudes 0.5 to 1
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const u32 base = (u32)__cvta_generic_to_shared(tiles);
  float d[128];
#pragma unroll
  for (int i = 0; i < 128; ++i) d[i] = 0;
  for (int r = 0; r < rounds; ++r) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const u64 a = descriptor(base + (threadIdx.x / 128) * 8192 + k * 2048), b = descriptor(base + 32768 + k * 8192);
      asm volatile(
          "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
          "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
          "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,"
          "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,"
          "%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
          "}, %128, %129, 1, 1, 1, 0, 0;"
          : ROW(0), ROW(8), ROW(16), ROW(24), ROW(32), ROW(40), ROW(48), ROW(56), ROW(64), ROW(72), ROW(80), ROW(88),
            ROW(96), ROW(104), ROW(112), ROW(120)
          : "l"(a), "l"(b));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 128; ++i) sum += d[i];
  if (sum == 12345.678f) *sink = sum;
}
