// The tensor roofs of Hopper (sm_90a only): m64n256 products of pseudo-random tiles in shared memory, 32 bytes deep whatever the
// type. Two warpgroups a block share B, and one waits while the other's products run. The tiles' order does not matter, only that
// they are not constant (the power they draw does): `keep` and `set` make numbers of magnitude 0.5 to 1 of random bits. `spent`:
// cycles and nanoseconds are added to it, for the clock; it falls within milliseconds, and NVML is slower to notice.
typedef unsigned u32;
typedef unsigned long long u64;

const int kDeep = 4;                                           // products a round
const int kTileA = 64 * 32 * kDeep, kTileB = 256 * 32 * kDeep; // bytes; rows of 128 bytes, swizzled by 128 bytes

// Shared-memory matrix descriptor: address and, in units of 16 bytes, the 1024 bytes from one eight rows to the next; bit 62: a
// swizzle of 128 bytes. The next product's 32 bytes lie beside the last one's.
__device__ inline u64 descriptor(u32 address) {
  return (u64)((address & 0x3FFFF) >> 4) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

__device__ inline u64 nanoseconds() {
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

template <class Number, class Multiply>
__device__ inline void multiply_tiles(Number* sink, u64* spent, int rounds, u32 keep, u32 set, Multiply multiply) {
  extern __shared__ __align__(1024) unsigned char tiles[];
  u32 state = (blockIdx.x * 256 + threadIdx.x) * 2654435761u;
  for (int i = threadIdx.x; i < (2 * kTileA + kTileB) / 4; i += blockDim.x) {
    state = state * 1664525u + 1013904223u;
    ((u32*)tiles)[i] = ((state ^ state >> 16) & keep) | set;
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const u32 base = (u32)__cvta_generic_to_shared(tiles);
  const u64 a = descriptor(base + threadIdx.x / 128 * kTileA), b = descriptor(base + 2 * kTileA);
  Number d[128];
#pragma unroll
  for (int i = 0; i < 128; ++i) d[i] = 0;
  const u64 cycles = clock64(), ns = nanoseconds();
#pragma unroll 1 // or compiling takes five times as long, for nothing
  for (int r = 0; r < rounds; ++r) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < kDeep; ++k) multiply(d, a + k * 32 / 16, b + k * 32 / 16);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) spent[0] += clock64() - cycles, spent[1] += nanoseconds() - ns;
  if (d[0] == (Number)1234567) *sink = d[0]; // keeps the products alive, all of which write it
}

#define EIGHT(C, i) "+" C(d[i]), "+" C(d[i + 1]), "+" C(d[i + 2]), "+" C(d[i + 3]), "+" C(d[i + 4]), "+" C(d[i + 5]), "+" C(d[i + 6]), "+" C(d[i + 7])
#define WGMMA_ROOF(NAME, NUMBER, C, SHAPE_AND_TYPES, FLAGS)                                                                     \
  extern "C" __global__ void __launch_bounds__(256, 1) NAME(NUMBER* sink, u64* spent, int rounds, u32 keep, u32 set) {          \
    multiply_tiles(sink, spent, rounds, keep, set, [](NUMBER (&d)[128], u64 a, u64 b) {                                         \
      asm volatile("wgmma.mma_async.sync.aligned." SHAPE_AND_TYPES " {"                                                         \
          "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,"  \
          "%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,"    \
          "%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,"    \
          "%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,"    \
          "%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, " FLAGS ";"            \
          : EIGHT(C, 0), EIGHT(C, 8), EIGHT(C, 16), EIGHT(C, 24), EIGHT(C, 32), EIGHT(C, 40), EIGHT(C, 48), EIGHT(C, 56),       \
            EIGHT(C, 64), EIGHT(C, 72), EIGHT(C, 80), EIGHT(C, 88), EIGHT(C, 96), EIGHT(C, 104), EIGHT(C, 112), EIGHT(C, 120)   \
          : "l"(a), "l"(b));                                                                                                    \
    });                                                                                                                         \
  }

WGMMA_ROOF(wgmma_bf16, float, "f", "m64n256k16.f32.bf16.bf16", "1, 1, 1, 0, 0")
WGMMA_ROOF(wgmma_fp16, float, "f", "m64n256k16.f32.f16.f16", "1, 1, 1, 0, 0")
WGMMA_ROOF(wgmma_tf32, float, "f", "m64n256k8.f32.tf32.tf32", "1, 1, 1")
WGMMA_ROOF(wgmma_fp8, float, "f", "m64n256k32.f32.e4m3.e4m3", "1, 1, 1")
WGMMA_ROOF(wgmma_int8, int, "r", "m64n256k32.s32.s8.s8", "1")
