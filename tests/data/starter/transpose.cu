// The macro is set by hand, in the source; the switch only by the build.
#define TILE 32

#define AT(x, y) ((y) * (TILE + PAD) + (x))

#if PAD > 1
#error one column is enough
#endif
#ifndef PAD
#define PAD 0
#endif

__global__ void transpose(const double* in, double* out, int width, int height) {
  __shared__ double tile[TILE * (TILE + PAD)];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  if (x < width && y < height) tile[AT(threadIdx.x, threadIdx.y)] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[AT(threadIdx.y, threadIdx.x)];
}
