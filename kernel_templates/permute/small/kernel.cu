// Small problems, which the L2 holds: the time is that of one thread's chain of instructions, not that of the traffic. Each
// thread makes one vector of y, and loads its pieces at once. There is no barrier, and no division: the grid has the
// dimensions of y, and what would be divided by is compiled in. Offsets have 32 bits.
#include "common/early.cuh"
#include "common/vec.cuh"

// y[b][c][r] = x[b][r][c] of elements of type U, which move as bits. A thread loads VEC elements of a column of x.
// ACROSS neighbouring threads have neighbouring columns, so that they read whole sectors; the others of a warp have
// neighbouring vectors along the rows of y. `vectors`: of a row of y. `matrix`: elements of one.
template <typename U, int VEC, int ACROSS, int THREADS>
__global__ void __launch_bounds__(THREADS)
    permute_small(const U* __restrict__ x, U* __restrict__ y, u32 vectors, u32 cols, u32 matrix) {
  static_assert(VEC * sizeof(U) <= 16, "a thread's access is at most 16 bytes");
  static_assert(THREADS % ACROSS == 0, "a block has whole groups of columns");
  wt::wait_for_earlier_work();
  const u32 c = blockIdx.x * ACROSS + threadIdx.x % ACROSS;
  const u32 vector = blockIdx.y * (THREADS / ACROSS) + threadIdx.x / ACROSS;
  if (c >= cols || vector >= vectors) return;
  const u32 begin = blockIdx.z * matrix;
  const U* const from = x + begin + vector * VEC * cols + c;
  wt::Vec<U, VEC> value;
#pragma unroll
  for (int k = 0; k < VEC; ++k) value.v[k] = from[k * cols];
  wt::store<wt::kDefault>(y + begin + (c * vectors + vector) * VEC, value);
}

// The same of runs of VECTORS vectors of BYTES. Neighbouring blocks have a column of x, which is contiguous in y.
template <int BYTES, int VECTORS, int THREADS>
__global__ void __launch_bounds__(THREADS)
    permute_small_runs(const wt::Vec<u16, BYTES / 2>* __restrict__ x, wt::Vec<u16, BYTES / 2>* __restrict__ y, u32 rows,
                       u32 cols, u32 matrix) {
  wt::wait_for_earlier_work();
  const u32 place = blockIdx.x * THREADS + threadIdx.x, row = place / VECTORS, in_run = place % VECTORS;
  if (row >= rows) return;
  const u32 c = blockIdx.y, begin = blockIdx.z * matrix;
  const auto value = wt::load<wt::kDefault, wt::Vec<u16, BYTES / 2>>(x + (begin + row * cols + c) * VECTORS + in_run);
  wt::store<wt::kDefault>(y + (begin + c * rows) * VECTORS + place, value);
}
