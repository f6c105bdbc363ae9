// A 17 x 17 convolution of 16 pixels a thread, all unrolled, and that sixteen times: each alone takes the optimiser ten
// seconds and more.
struct Patch {
  float at[96][144];
};

template <int COPY> __device__ __forceinline__ void convolve(const Patch& patch, float* y, int i, int n) {
  float sum[4][4] = {};
#pragma unroll
  for (int dy = 0; dy < 17; ++dy)
#pragma unroll
    for (int dx = 0; dx < 17; ++dx)
#pragma unroll
      for (int ty = 0; ty < 4; ++ty)
#pragma unroll
        for (int tx = 0; tx < 4; ++tx)
          sum[ty][tx] += patch.at[threadIdx.x / 32 + ty * 8 + dy + COPY][threadIdx.x % 32 + tx * 32 + dx] * patch.at[dy][dx];
#pragma unroll
  for (int ty = 0; ty < 4; ++ty)
#pragma unroll
    for (int tx = 0; tx < 4; ++tx) y[(i + ty * 4 + tx + COPY) % n] = sum[ty][tx];
  if constexpr (COPY > 0) convolve<COPY - 1>(patch, y, i, n);
}

template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if constexpr (FAULT) {
    __shared__ Patch patch;
    for (int k = threadIdx.x; k < 96 * 144; k += BLOCK) patch.at[k / 144][k % 144] = x[k % n];
    __syncthreads();
    convolve<15>(patch, y, i, n);
  } else {
    if (i < n) y[i] = 2 * x[i];
  }
}
