// Both variants add the same 256 elements of the block: a column of its 32 x 32 tile, or a row of the transposed one.
template <int PLANTED>
__global__ void mixed(const float* x, float* y) {
  __shared__ float tile[32 * 33];
  constexpr int kPitch = PLANTED ? 32 : 33;
  const int column = threadIdx.x % 32, row = threadIdx.x / 32;
  tile[row * kPitch + column] = x[blockIdx.x * 1024 + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 256; ++i) {
    sum += tile[column * kPitch + (row + i) % 32]; // planted: a pitch of 32 puts a column into one bank
  }
  y[blockIdx.x * 1024 + threadIdx.x] = sum;
}
