// Reductions over the columns of matrices, or over pieces of long columns, with one pass.
#include "common/early.cuh"
#include "add_pieces.cuh"

// X threads cover X * VEC neighbouring columns, and Y of them take turns at the elements of a column; UNROLL is the
// number of loads in flight a thread. With SPLIT a column has several pieces, and add_pieces gives the result.
template <typename T, typename R, int KIND, int X, int Y, int VEC, int UNROLL, bool SPLIT, bool DEPENDENT>
__global__ void __launch_bounds__(X* Y)
    reduce_columns(const T* __restrict__ x, R* __restrict__ y, Part<KIND>* __restrict__ parts, float correction,
                   i64 results, i64 n, i64 inner, int piece_length, int pieces, int tiles) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(UNROLL * VEC <= 64, "more than 64 elements of a thread in flight spill");
  static_assert(wt::is_pow2(Y) && X * Y <= 512, "parts of all threads are merged in shared memory, by halves");
  wt::wait_for_earlier_work();
  if constexpr (SPLIT && DEPENDENT) wt::launch_dependents();
  const int lane = threadIdx.x % X, turn = threadIdx.x / X;
  const int tile = blockIdx.x % tiles, piece = SPLIT ? blockIdx.x / tiles % pieces : 0;
  const i64 outer = blockIdx.x / tiles / (SPLIT ? pieces : 1), column = (i64(tile) * X + lane) * VEC;
  const i64 first = i64(piece) * piece_length;
  const int length = column >= inner ? 0 : static_cast<int>(n - first < piece_length ? n - first : piece_length);
  const T* from = x + (outer * n + first + turn) * inner + column;
  Part<KIND> part[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) part[k].begin(turn);
  for (int at = turn; at < length; at += UNROLL * Y, from += UNROLL * Y * inner) {
    wt::Vec<T, VEC> batch[UNROLL];
    float v[VEC][UNROLL][1];
    const auto holds = [&](int i, int) { return at + i * Y < length; };
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) {
      batch[i] = outside_vector<KIND, T, VEC>();
      if (holds(i, 0)) batch[i] = wt::load<wt::kDefault, wt::Vec<T, VEC>>(from + i * Y * inner);
    }
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) {
      float some[VEC];
      wt::unpack<T, VEC>(batch[i], some);
#pragma unroll
      for (int k = 0; k < VEC; ++k) v[k][i][0] = some[k];
    }
    const auto add = [&](const auto& which) {
#pragma unroll
      for (int k = 0; k < VEC; ++k) part[k].add(v[k], at, Y, which);
    };
    if (KIND != kVariance || holds(UNROLL - 1, 0))
      add(HoldsAll{});
    else
      add(holds);
  }

  __shared__ __align__(16) u8 memory[(Y > 1 ? Y / 2 : 1) * VEC * X * sizeof(Part<KIND>)];
  const auto upper = reinterpret_cast<Part<KIND>(*)[VEC][X]>(memory);
#pragma unroll
  for (int half = Y / 2; half > 0; half /= 2) {
    if (turn >= half && turn < 2 * half)
#pragma unroll
      for (int k = 0; k < VEC; ++k) upper[turn - half][k][lane] = part[k];
    __syncthreads();
    if (turn < half)
#pragma unroll
      for (int k = 0; k < VEC; ++k) part[k].merge(upper[turn][k][lane]);
    __syncthreads();
  }
  if (turn > 0 || column >= inner) return;
  const i64 result = outer * inner + column;
  if constexpr (SPLIT) {
#pragma unroll
    for (int k = 0; k < VEC; ++k) parts[piece * results + result + k] = part[k];
  } else {
    constexpr int kWide = VEC * sizeof(R) <= 16 ? VEC : 16 / sizeof(R);
#pragma unroll
    for (int k = 0; k < VEC; k += kWide) {
      wt::Vec<R, kWide> some;
#pragma unroll
      for (int i = 0; i < kWide; ++i) some.v[i] = result_of<KIND, R>(whole_of<KIND>(part[k + i], 0), n, correction);
      wt::store<wt::kDefault>(y + result + k, some);
    }
  }
}
