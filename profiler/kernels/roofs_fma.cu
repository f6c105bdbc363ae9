// The roofs of the ordinary pipes: kChains independent accumulators a thread hide the latency of one. The operands come from
// arguments, so nothing folds.
const int kChains = 8;
const int kSteps = 16;

template <class T, class Fma> __device__ inline T chains(T a, T b, int rounds, Fma fma_of) {
  T x[kChains];
#pragma unroll
  for (int i = 0; i < kChains; ++i) x[i] = a + (T)i; // chains that begin alike could be computed once
  for (int r = 0; r < rounds; ++r)
#pragma unroll
    for (int s = 0; s < kSteps; ++s)
#pragma unroll
      for (int i = 0; i < kChains; ++i) x[i] = fma_of(x[i], a, b);
  T sum = x[0];
#pragma unroll
  for (int i = 1; i < kChains; ++i) sum = fma_of(sum, a, x[i]);
  return sum;
}

extern "C" __global__ void fma_fp32(float* sink, int rounds, float a, float b) {
  const float x = chains<float>(a + threadIdx.x * 1e-6f, b, rounds, [](float p, float q, float r) { return fmaf(p, q, r); });
  if (x == 12345.678f) *sink = x;
}
extern "C" __global__ void fma_fp64(double* sink, int rounds, double a, double b) {
  const double x = chains<double>(a + threadIdx.x * 1e-6, b, rounds, [](double p, double q, double r) { return fma(p, q, r); });
  if (x == 12345.678) *sink = x;
}
// `a` and `b` hold two halves each.
extern "C" __global__ void fma_fp16x2(unsigned* sink, int rounds, unsigned a, unsigned b) {
  const unsigned x = chains<unsigned>(a + threadIdx.x % 64 * 0x00010001u, b, rounds, [](unsigned u, unsigned v, unsigned w) {
    asm("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(u) : "r"(v), "r"(w));
    return u;
  });
  if (x == 0x9E3779B9u) *sink = x;
}
