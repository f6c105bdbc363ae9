extern "C" __global__ void conv17_reference(const float* image, const float* filter, float* result, int width,
                                            int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  double sum = 0;
  for (int dy = -8; dy <= 8; ++dy)
    for (int dx = -8; dx <= 8; ++dx)
      if (y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width)
        sum += (double)image[(long long)(y + dy) * width + x + dx] * filter[(dy + 8) * 17 + dx + 8];
  result[(long long)y * width + x] = (float)sum;
}
