template <int PLANTED>
__global__ void kept(const float* x, float* y, float* scratch, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  volatile float* mine = scratch + i;
  if (!PLANTED) *mine = 0.0F;
  (void)*mine; // planted: nothing was written there; no result shows it
  y[i] = x[i];
}
