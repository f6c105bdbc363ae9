// Right with FAULT 0; otherwise one of the ways in which a kernel goes wrong.
#include <cuda_bf16.h>
typedef long long i64;

__device__ unsigned blocks_done;

template <typename T, int FAULT>
__global__ void faults(const T* x, const int* k, T* y, int* z, i64 n) {
  __shared__ int fixed[FAULT == 13 ? 1024 : 1];
  if (FAULT == 13) fixed[threadIdx.x] = (int)n;
  const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (FAULT == 14) { // works once: from the second launch on it does nothing
    if (*(volatile unsigned*)&blocks_done >= gridDim.x) return;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&blocks_done, 1u);
  }
  if (FAULT == 15) { // from the second launch on it writes past the end
    if (*(volatile unsigned*)&blocks_done >= gridDim.x && i == 0) y[n] = (T)1.0f;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&blocks_done, 1u);
  }
  const bool is_late = FAULT == 16 && *(volatile unsigned*)&blocks_done >= 12 * gridDim.x; // works twelve times
  if (FAULT == 16) {
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&blocks_done, 1u);
  }
#if defined(__CUDA_ARCH__)
  if (FAULT == 8 && i == 0) // never ends
    while (*(volatile const int*)k != 12345678) __nanosleep(1000);
  if (FAULT == 9 && i == 0) *(volatile int*)((char*)z + (1ll << 45)) = 1; // illegal address
  if (FAULT == 12 && i == 0) __trap();
#endif
  if (FAULT == 3 && i == 0) y[n] = (T)1.0f;            // one past the end
  if (FAULT == 4 && i == 0) z[-1] = 7;                 // before the beginning
  if (i >= n) return;
  if (FAULT == 1 && i == n - 1) return;                // the tail is not written
  float value = 2.0f * (float)x[i];
  if (FAULT == 2 && i == n / 2) value = __int_as_float(0x7FC00000);
  if (FAULT == 6 && i == 0) value = 4.0f;              // beyond the tolerance of 0.5
  if (FAULT == 11 && i == 0) value += 0.25f;           // within it
  if (is_late) value += 1.0f;
  y[i] = (T)value;
  z[i] = (int)i + k[i] + (FAULT == 13 ? fixed[255 - threadIdx.x] : 0) + (FAULT == 7 && i == n - 1 ? 1 : 0); // an index that is off by one
  if (FAULT == 5 && i == n - 1) ((int*)k)[i] += 1; // changes its input
}
