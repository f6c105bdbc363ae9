// 17 x 17 convolution, every tap unrolled: the compiler works for seconds, and of many chunks and large tiles the block
// asks for more shared memory than there is.
#define RADIUS 8
#define SIDE (2 * RADIUS + 1)

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
    conv17(const float* __restrict__ image, const float* __restrict__ filter, float* __restrict__ result, int width,
           int height) {
  constexpr int kPatchX = BLOCK_X * TILE_X + 2 * RADIUS, kPatchY = BLOCK_Y * TILE_Y + 2 * RADIUS;
  __shared__ float patch[CHUNKS][kPatchY][kPatchX];
  __shared__ float taps[SIDE * SIDE];
  const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
  const int x0 = blockIdx.x * BLOCK_X * TILE_X, first_y0 = blockIdx.y * BLOCK_Y * TILE_Y * CHUNKS;
  for (int i = thread; i < SIDE * SIDE; i += BLOCK_X * BLOCK_Y) taps[i] = filter[i];
#pragma unroll 1
  for (int chunk = 0; chunk < CHUNKS; ++chunk)
    for (int i = thread; i < kPatchX * kPatchY; i += BLOCK_X * BLOCK_Y) {
      const int x = x0 + i % kPatchX - RADIUS, y = first_y0 + chunk * BLOCK_Y * TILE_Y + i / kPatchX - RADIUS;
      const bool inside = x >= 0 && x < width && y >= 0 && y < height;
      patch[chunk][i / kPatchX][i % kPatchX] = inside ? image[(long long)y * width + x] : 0;
    }
  __syncthreads();
#pragma unroll 1
  for (int chunk = 0; chunk < CHUNKS; ++chunk) {
    float sum[TILE_Y][TILE_X] = {};
#pragma unroll UNROLL
    for (int dy = 0; dy < SIDE; ++dy)
#pragma unroll
      for (int dx = 0; dx < SIDE; ++dx)
#pragma unroll
        for (int ty = 0; ty < TILE_Y; ++ty)
#pragma unroll
          for (int tx = 0; tx < TILE_X; ++tx)
            sum[ty][tx] += patch[chunk][threadIdx.y + ty * BLOCK_Y + dy][threadIdx.x + tx * BLOCK_X + dx] *
                           taps[dy * SIDE + dx];
#pragma unroll
    for (int ty = 0; ty < TILE_Y; ++ty)
#pragma unroll
      for (int tx = 0; tx < TILE_X; ++tx) {
        const int x = x0 + threadIdx.x + tx * BLOCK_X;
        const int y = first_y0 + (chunk * TILE_Y + ty) * BLOCK_Y + threadIdx.y;
        if (x < width && y < height) result[(long long)y * width + x] = sum[ty][tx];
      }
  }
}
