// Reads `count` vectors of 16 bytes with the default caching, so that they take the place of whatever the L2 held.
extern "C" __global__ void read_all(const uint4* data, unsigned* sink, long long count) {
  unsigned seen = 0;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (long long)gridDim.x * blockDim.x) {
    const uint4 v = data[i];
    seen ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (seen == 0x9E3779B9u) *sink = seen; // keeps the loads alive
}
