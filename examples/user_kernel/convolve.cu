// 2-D convolution of an image with a square filter; pixels outside the image count as zero.
// A block computes a (BLOCK_X * TILE_X) x (BLOCK_Y * TILE_Y) part of the image, a thread TILE_X x TILE_Y pixels.
#ifndef RADIUS
#define RADIUS 2 // the filter is (2 * RADIUS + 1) squared
#endif
#ifndef BLOCK_X
#define BLOCK_X 32 // threads along x
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8 // threads along y
#endif
#ifndef TILE_X
#define TILE_X 1 // pixels of a thread along x
#endif
#ifndef TILE_Y
#define TILE_Y 1 // pixels of a thread along y
#endif
#ifndef USE_SHARED
#define USE_SHARED 1 // keep the block's part of the image in shared memory
#endif
#ifndef UNROLL
#define UNROLL 1 // filter rows unrolled
#endif

#define FILTER (2 * RADIUS + 1)
#define PATCH_X (BLOCK_X * TILE_X + 2 * RADIUS)
#define PATCH_Y (BLOCK_Y * TILE_Y + 2 * RADIUS)

__device__ float pixel(const float* image, int width, int height, int x, int y) {
  return x >= 0 && x < width && y >= 0 && y < height ? image[(size_t)y * width + x] : 0.0f;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    convolve(const float* __restrict__ image, const float* __restrict__ filter, float* __restrict__ result, int width,
             int height) {
  const int left = blockIdx.x * BLOCK_X * TILE_X;
  const int top = blockIdx.y * BLOCK_Y * TILE_Y;

#if USE_SHARED
  __shared__ float patch[PATCH_Y][PATCH_X];
  for (int y = threadIdx.y; y < PATCH_Y; y += BLOCK_Y)
    for (int x = threadIdx.x; x < PATCH_X; x += BLOCK_X)
      patch[y][x] = pixel(image, width, height, left + x - RADIUS, top + y - RADIUS);
  __syncthreads();
#define AT(x, y) patch[y][x]
#else
#define AT(x, y) pixel(image, width, height, left + (x)-RADIUS, top + (y)-RADIUS)
#endif

  float sum[TILE_Y][TILE_X] = {};
#pragma unroll UNROLL
  for (int fy = 0; fy < FILTER; ++fy) {
#pragma unroll
    for (int fx = 0; fx < FILTER; ++fx) {
      const float weight = filter[fy * FILTER + fx];
#pragma unroll
      for (int j = 0; j < TILE_Y; ++j)
#pragma unroll
        for (int i = 0; i < TILE_X; ++i)
          sum[j][i] += weight * AT(threadIdx.x + i * BLOCK_X + fx, threadIdx.y + j * BLOCK_Y + fy);
    }
  }

#pragma unroll
  for (int j = 0; j < TILE_Y; ++j)
#pragma unroll
    for (int i = 0; i < TILE_X; ++i) {
      const int x = left + threadIdx.x + i * BLOCK_X;
      const int y = top + threadIdx.y + j * BLOCK_Y;
      if (x < width && y < height) result[(size_t)y * width + x] = sum[j][i];
    }
}
