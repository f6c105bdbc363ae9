__global__ void held_reference(const float* x, float* y, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double all = 0.0;
  for (int k = 0; k < 64; ++k) {
    double sum = x[i + k];
    for (int j = 0; j < 64; ++j) sum = x[i + j] * sum + 1.0;
    all += sum;
  }
  y[i] = static_cast<float>(all);
}
