// 1: a zero in a gap. 2: copies what is in the gaps of x, too. 3: adds what is in a gap of x. 4: leaves out the last element of a row. 5: a one
// in a gap of what is read and written. 6: adds what prepare_rows left in a gap of w.
extern "C" __global__ void scale_rows(const float* x, const float* w, float* y, float* z, int n, int stride, int fault) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * 20) return;
  const int row = i / 20, column = i % 20, at = row * stride + column;
  if (fault == 4 && row == n - 1 && column == 19) return;
  y[at] = x[at] + w[at] + (fault == 3 ? x[20] : 0) + (fault == 6 ? w[20] : 0);
  z[at] += 1;
  if (fault == 1 && row == 1 && column == 0) y[at + 21] = 0;
  if (fault == 2 && column + 20 < stride && row < n - 1) y[at + 20] = x[at + 20];
  if (fault == 5 && row == 3 && column == 0) z[at + 20] = 1;
}
