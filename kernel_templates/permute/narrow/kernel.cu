// y[b][c][r] = x[b][r][c] where x has few rows or few columns. Of the two matrices one has few, long rows: a thread takes a
// vector of each of them. In the other these elements are contiguous: neighbouring threads exchange them through shared
// memory, so that neighbouring vectors move at once there, too.
#include "common/early.cuh"
#include "common/vec.cuh"

// Elements of type U move as bits. FEW_ROWS: the few long rows are those of x, else those of y. They have `many` elements.
template <typename U, int FEW, bool FEW_ROWS, int THREADS, int GROUPS, int HINT>
__global__ void __launch_bounds__(THREADS)
    permute_narrow(const U* __restrict__ x, U* __restrict__ y, i64 many, u32 blocks) {
  wt::wait_for_earlier_work();
  constexpr int VEC = 16 / sizeof(U), kVectors = THREADS * GROUPS; // of a row, in a block
  using V = wt::Vec<U, VEC>;
  __shared__ V passing[kVectors * FEW];
  const i64 matrix = i64(blockIdx.x / blocks) * FEW * many, first = i64(blockIdx.x % blocks) * kVectors * VEC;
  const int here = static_cast<int>(min(i64(kVectors), (many - first) / VEC));
  const auto in_row = [&](int row, int vector) { return matrix + row * many + first + vector * VEC; };
  const i64 mixed = matrix + first * FEW;

  V rows[GROUPS][FEW], elements[GROUPS][FEW];
  // Vector `place` of the interleaved ones. A thread's own FEW vectors are neighbours; the exclusive or spreads those of
  // eight threads over the banks where FEW is even.
  const auto slot = [](int place) { return place ^ (FEW % 2 == 0 ? place / 8 % 8 : 0); };
  if constexpr (FEW_ROWS) {
#pragma unroll
    for (int g = 0; g < GROUPS; ++g)
#pragma unroll
      for (int row = 0; row < FEW; ++row)
        if (const int vector = g * THREADS + threadIdx.x; vector < here) rows[g][row] = wt::load<wt::kDefault, V>(x + in_row(row, vector));
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) {
#pragma unroll
      for (int i = 0; i < FEW * VEC; ++i) elements[g][i / VEC].v[i % VEC] = rows[g][i % FEW].v[i / FEW];
#pragma unroll
      for (int i = 0; i < FEW; ++i) passing[slot((g * THREADS + threadIdx.x) * FEW + i)] = elements[g][i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < GROUPS * FEW; ++i)
      if (const int place = i * THREADS + threadIdx.x; place < here * FEW) wt::store<HINT>(y + mixed + place * VEC, passing[slot(place)]);
  } else {
    V loaded[GROUPS * FEW];
#pragma unroll
    for (int i = 0; i < GROUPS * FEW; ++i)
      if (const int place = i * THREADS + threadIdx.x; place < here * FEW) loaded[i] = wt::load<wt::kDefault, V>(x + mixed + place * VEC);
#pragma unroll
    for (int i = 0; i < GROUPS * FEW; ++i) passing[slot(i * THREADS + threadIdx.x)] = loaded[i];
    __syncthreads();
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) {
#pragma unroll
      for (int i = 0; i < FEW; ++i) elements[g][i] = passing[slot((g * THREADS + threadIdx.x) * FEW + i)];
#pragma unroll
      for (int i = 0; i < FEW * VEC; ++i) rows[g][i % FEW].v[i / FEW] = elements[g][i / VEC].v[i % VEC];
#pragma unroll
      for (int row = 0; row < FEW; ++row)
        if (const int vector = g * THREADS + threadIdx.x; vector < here) wt::store<HINT>(y + in_row(row, vector), rows[g][row]);
    }
  }
}
