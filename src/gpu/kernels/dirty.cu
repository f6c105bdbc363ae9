// What a kernel finds in shared memory that it did not write: what the blocks before it left there.

// Fills the dynamic shared memory of a block with NaNs of every type. The loop's result is read back, so that the writes
// are not removed.
extern "C" __global__ void dirty_shared(unsigned words, unsigned* last) {
  extern __shared__ volatile unsigned shared[];
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) shared[i] = 0xFFFFFFFFu;
  __syncthreads();
  if (threadIdx.x == 0 && shared[words - 1] != 0xFFFFFFFFu) *last = words;
}
