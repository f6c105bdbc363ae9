// BAD: 0 right, 1 all NaN, 2 every other element NaN, 3 y lacks its last element, 4 z lacks its last element,
// 5 infinite mean square.
typedef long long i64;
template <typename T, int BAD> __global__ void bad_oracle_reference(const T* x, T* y, int* z, i64 n) {
  const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T value = x[i];
  if (BAD == 1 || (BAD == 2 && i % 2 == 1)) value = (T)__int_as_float(0x7FC00000);
  if (BAD == 5) value *= (T)1e200;
  if (BAD != 3 || i < n - 1) y[i] = value;
  if (BAD != 4 || i < n - 1) z[i] = (int)i - 1; // -1 is a value like any other
}
