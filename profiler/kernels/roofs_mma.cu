// The tensor roofs that a warp reaches by itself: mma.sync on pseudo-random operands in registers. The caller launches only what
// the device has and knows the shapes; `keep` and `set` make numbers of magnitude 0.5 to 1 of random bits.
#define INPUTS_AND_OUTPUTS "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"

const int kTiles = 4; // independent products hide the latency of one

__device__ inline unsigned draw(unsigned& state, unsigned keep, unsigned set) {
  state = state * 1664525u + 1013904223u;
  return ((state ^ state >> 16) & keep) | set;
}

#define MMA_ROOF(NAME, ACCUMULATOR, CONSTRAINT, TEXT)                                                                           \
  extern "C" __global__ void NAME(ACCUMULATOR* sink, int rounds, unsigned keep, unsigned set) {                                 \
    unsigned a[4], b[kTiles][2], state = threadIdx.x * 2654435761u;                                                             \
    for (int i = 0; i < 4; ++i) a[i] = draw(state, keep, set);                                                                  \
    for (int i = 0; i < kTiles; ++i) b[i][0] = draw(state, keep, set), b[i][1] = draw(state, keep, set);                        \
    ACCUMULATOR c[kTiles][4] = {};                                                                                              \
    for (int r = 0; r < rounds; ++r)                                                                                            \
      _Pragma("unroll") for (int i = 0; i < kTiles; ++i) asm volatile(TEXT                                                      \
                   : "+" CONSTRAINT(c[i][0]), "+" CONSTRAINT(c[i][1]), "+" CONSTRAINT(c[i][2]), "+" CONSTRAINT(c[i][3])         \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[i][0]), "r"(b[i][1]));                                   \
    ACCUMULATOR sum = 0;                                                                                                        \
    for (int i = 0; i < kTiles; ++i) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];                                              \
    if (sum == (ACCUMULATOR)1234567) *sink = sum;                                                                               \
  }

#if __CUDA_ARCH__ >= 800
MMA_ROOF(mma_fp16, float, "f", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " INPUTS_AND_OUTPUTS)
MMA_ROOF(mma_bf16, float, "f", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " INPUTS_AND_OUTPUTS)
MMA_ROOF(mma_tf32, float, "f", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " INPUTS_AND_OUTPUTS)
MMA_ROOF(mma_int8, int, "r", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " INPUTS_AND_OUTPUTS)
#elif __CUDA_ARCH__ >= 750
MMA_ROOF(mma_fp16, float, "f", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%8}, {%0,%1,%2,%3};")
MMA_ROOF(mma_int8, int, "r", "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%4}, {%8}, {%0,%1};")
#endif
#if __CUDA_ARCH__ >= 890
MMA_ROOF(mma_fp8, float, "f", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 " INPUTS_AND_OUTPUTS)
#endif

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void mma_fp64(double* sink, int rounds) {
  unsigned state = threadIdx.x * 2654435761u;
  auto number = [&] { return __hiloint2double(draw(state, 0x800FFFFFu, 0x3FE00000u), draw(state, ~0u, 0)); };
  double a[8], b[kTiles][4], c[kTiles][4] = {};
  for (int i = 0; i < 8; ++i) a[i] = number();
  for (int i = 0; i < kTiles; ++i)
    for (int j = 0; j < 4; ++j) b[i][j] = number();
  for (int r = 0; r < rounds; ++r)
#pragma unroll
    for (int i = 0; i < kTiles; ++i)
      asm volatile(
#if __CUDA_ARCH__ >= 900
          "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
#else
          "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%4}, {%12}, {%0,%1};"
#endif
          : "+d"(c[i][0]), "+d"(c[i][1]), "+d"(c[i][2]), "+d"(c[i][3])
          : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[i][0]), "d"(b[i][1]),
            "d"(b[i][2]), "d"(b[i][3]));
  double sum = 0;
  for (int i = 0; i < kTiles; ++i) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];
  if (sum == 12345.678) *sink = sum;
}
#endif
