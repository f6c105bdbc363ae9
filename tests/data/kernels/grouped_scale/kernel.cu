constexpr int kCols = 64;

// One thread for each element: finds the group of its row among the offsets.
__global__ void scale_rows(const float* x, const long long* offsets, const float* factors, float* y, int groups) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= offsets[groups] * kCols) return;
  const long long row = i / kCols;
  int low = 0, high = groups; // offsets[low] <= row < offsets[high]
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (offsets[middle] <= row ? low : high) = middle;
  }
  y[i] = x[i] * factors[low];
}

// A row of blocks for each group.
__global__ void scale_groups(const float* x, const int* sizes, const long long* offsets, const float* factors,
                             float* y) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int group = blockIdx.y;
  if (i >= static_cast<long long>(sizes[group]) * kCols) return;
  const long long at = offsets[group] * kCols + i;
  y[at] = x[at] * factors[group];
}
