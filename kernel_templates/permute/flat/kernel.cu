// y[b][c][r] = x[b][r][c] where x has short rows or short columns of odd lengths. A block takes whole short rows, which
// are contiguous, so they move as one run of 16-byte vectors, whatever their length is. Between this run in shared
// memory and the long rows of the other matrix, elements move one by one on the side of the shared memory, and in
// vectors on the other.
#include "common/async.cuh"
#include "common/early.cuh"
#include "common/vec.cuh"

// The part of the long rows that a block has, in vectors: kAcross neighbouring lanes have neighbours along a long row,
// kAlong of them neighbouring rows. With short rows of an odd length, these lanes meet different banks: the elements of
// neighbouring vectors are VEC short rows apart, an odd multiple of 16 bytes.
template <int SHORT, int VECTORS, int THREADS> struct Turns {
  static constexpr int kAcross = 8, kAlong = 4, kWide = VECTORS / kAcross;
  static_assert(VECTORS % kAcross == 0 && kAcross * kAlong == 32, "a warp takes whole vectors");
  static constexpr int kTurns = wt::ceil_div(kWide * wt::ceil_div(SHORT, kAlong), THREADS / 32);
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  __device__ __forceinline__ int at(int turn) const { return turn * (THREADS / 32) + warp; }
  __device__ __forceinline__ int vector(int turn) const { return at(turn) % kWide * kAcross + lane % kAcross; }
  __device__ __forceinline__ int row(int turn) const { return at(turn) / kWide * kAlong + lane / kAcross; }
};

// Elements of type U move as bits. SHORT: the length of the short rows. OF_X: they are those of x, else those of y.
// TILE: short rows of a block. The other matrix has SHORT rows of `many` elements.
template <typename U, int SHORT, bool OF_X, int TILE, int THREADS, int HINT>
__global__ void __launch_bounds__(THREADS)
    permute_flat(const U* __restrict__ x, U* __restrict__ y, i64 many, u32 blocks) {
  wt::wait_for_earlier_work();
  constexpr int VEC = 16 / sizeof(U);
  using V = wt::Vec<U, VEC>;
  extern __shared__ __align__(128) u8 slots[];
  U* const run = reinterpret_cast<U*>(slots);
  const i64 matrix = i64(blockIdx.x / blocks) * SHORT * many, first = i64(blockIdx.x % blocks) * TILE;
  const i64 start = matrix + first * SHORT;
  const int vectors = static_cast<int>(min(i64(TILE), many - first)) / VEC; // of each long row
  const Turns<SHORT, TILE / VEC, THREADS> turns;
  const auto is_live = [&](int turn) { return turns.vector(turn) < vectors && turns.row(turn) < SHORT; };
  const auto in_run = [&](int turn) { return run + turns.vector(turn) * (VEC * SHORT) + turns.row(turn); };
  const auto in_row = [&](int turn) { return matrix + turns.row(turn) * many + first + turns.vector(turn) * VEC; };

  if constexpr (OF_X) {
#pragma unroll 4
    for (int i = threadIdx.x; i < vectors * SHORT; i += THREADS)
      wt::async_copy<16>(wt::shared_address(run + i * VEC), x + start + i * VEC);
    wt::async_copy_wait_all();
    __syncthreads();
#pragma unroll 2
    for (int turn = 0; turn < turns.kTurns; ++turn) {
      if (!is_live(turn)) continue;
      const U* const from = in_run(turn);
      V value;
#pragma unroll
      for (int k = 0; k < VEC; ++k) value.v[k] = from[k * SHORT];
      wt::store<HINT>(y + in_row(turn), value);
    }
  } else {
    constexpr int kBatch = 4; // loads of a thread in flight
#pragma unroll 1
    for (int turn = 0; turn < turns.kTurns; turn += kBatch) {
      V batch[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i)
        if (is_live(turn + i)) batch[i] = wt::load<wt::kDefault, V>(x + in_row(turn + i));
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        if (!is_live(turn + i)) continue;
        U* const to = in_run(turn + i);
#pragma unroll
        for (int k = 0; k < VEC; ++k) to[k * SHORT] = batch[i].v[k];
      }
    }
    __syncthreads();
#pragma unroll 4
    for (int i = threadIdx.x; i < vectors * SHORT; i += THREADS)
      wt::store<HINT>(y + start + i * VEC, *reinterpret_cast<const V*>(run + i * VEC));
  }
}
