// The answer that every configuration is checked against: one thread a pixel, the sum in double.
extern "C" __global__ void convolve_reference(const float* image, const float* filter, double* result, int width,
                                              int height, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  double sum = 0.0;
  for (int fy = -radius; fy <= radius; ++fy) {
    for (int fx = -radius; fx <= radius; ++fx) {
      const float weight = filter[(fy + radius) * (2 * radius + 1) + fx + radius];
      if (x + fx < 0 || x + fx >= width || y + fy < 0 || y + fy >= height) continue;
      sum += static_cast<double>(weight) * image[static_cast<size_t>(y + fy) * width + x + fx];
    }
  }
  result[static_cast<size_t>(y) * width + x] = sum;
}
