// Group normalisation of planes of one channel by persistent blocks: bulk copies fill a ring of groups in shared memory
// ahead of them. Groups of whole 16-byte vectors. sm_90.
#include "common/early.cuh"
#include "common/row_ring.cuh"
#include "held_groups.cuh"

// TPG threads work on a group, GPB groups a block at a time; ITERS is the number of vectors that a thread holds.
// BLOCKS_PER_SM is the residency that the register allocation must allow. EVEN: a vector does not leave its plane. ONE:
// a group is one plane.
template <typename T, int TPG, int GPB, int VEC, int ITERS, int STAGES, int BLOCKS_PER_SM, bool EVEN, bool ONE>
__global__ void __launch_bounds__(TPG* GPB, BLOCKS_PER_SM)
    normalise_groups(const T* __restrict__ x, const T* __restrict__ weight, const T* __restrict__ bias,
                     float* __restrict__ mean, float* __restrict__ rstd, T* __restrict__ y, float eps, i64 groups,
                     int channels, int pixels, int size) {
  static_assert(VEC * sizeof(T) == 16, "bulk copies move whole 16-byte pieces");
  static_assert(ITERS >= 1 && ITERS <= 8, "more than 128 bytes in a thread's registers spill");
  wt::wait_for_earlier_work();
  using V = wt::Vec<T, VEC>;
  const wt::RowPlace<TPG, GPB, 1> place;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ u64 full[STAGES];
  using Exchange = wt::RowExchange<wt::Moments, TPG, GPB, 1>;
  __shared__ Exchange exchange[2];
  const T* const matrices[1] = {x};
  wt::RowRing<T, 1, GPB, STAGES> ring(matrices, groups, size * pixels, slots, full);
  for (int turn = 0; ring.more(); turn ^= 1) {
    const i64 at = ring.group * GPB + place.row_in_block;
    const bool live = at < groups;
    const wt::Row<T, VEC, true> row(live ? at : 0, live ? size * pixels : 0);
    V held[ITERS];
    ring.wait();
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
      const int vector = place.thread + i * TPG;
      held[i] = V{};
      if (vector < row.vectors) held[i] = reinterpret_cast<const V*>(ring.row(0, place.row_in_block))[vector];
    }
    const wt::Moments part = wt::moments_of(row, held, place.thread, TPG);
    wt::keep_packed(held);
    const Statistics own = statistics_of(exchange[turn].merge(part, 0, place.row_in_block), eps);
    if constexpr (!Exchange::kNeeded) __syncthreads();
    ring.release();
    if (live && place.thread == 0) {
      mean[at] = own.mean;
      rstd[at] = own.rstd;
    }
    const int first_channel = static_cast<int>(at % (channels / size)) * size;
    store_group<EVEN, ONE>(row, held, place.thread, TPG, own, weight + first_channel, bias + first_channel, pixels,
                           size, y);
    ring.advance();
  }
}
