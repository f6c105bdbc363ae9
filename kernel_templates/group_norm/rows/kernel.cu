// Group normalisation of planes of one channel in one pass: the planes of a group are contiguous, and each thread holds
// its part of them in registers. Groups of any length and alignment.
#include "common/early.cuh"
#include "held_groups.cuh"

// TPG threads of each of CLUSTER blocks work on a group, GPB groups a block; ITERS is the number of vectors that a
// thread holds. EVEN: a vector does not leave its plane. ONE: a group is one plane.
template <typename T, int TPG, int GPB, int VEC, int ITERS, int CLUSTER, bool ALIGNED, bool EVEN, bool ONE>
__global__ void __launch_bounds__(TPG* GPB)
    normalise_groups(const T* __restrict__ x, const T* __restrict__ weight, const T* __restrict__ bias,
                     float* __restrict__ mean, float* __restrict__ rstd, T* __restrict__ y, float eps, i64 groups,
                     int channels, int pixels, int size) {
  static_assert(ITERS >= 1 && ITERS * VEC * sizeof(T) <= 128, "more than 128 bytes in a thread's registers spill");
  wt::wait_for_earlier_work();
  const wt::RowPlace<TPG, GPB, CLUSTER> place;
  __shared__ wt::RowExchange<wt::Moments, TPG, GPB, CLUSTER> exchange;
  exchange.announce();
  const bool live = place.row < groups;
  const wt::Row<T, VEC, ALIGNED> row(live ? place.row : 0, live ? size * pixels : 0);
  wt::Vec<T, VEC> held[ITERS];
  row.load_batch(x, place.first, place.kStep, held, row.cols);
  const wt::Moments part = wt::moments_of(row, held, place.first, place.kStep);
  wt::keep_packed(held);
  const Statistics own = statistics_of(exchange.merge(part, place.rank, place.row_in_block), eps);
  if (live && place.first == 0) {
    mean[place.row] = own.mean;
    rstd[place.row] = own.rstd;
  }
  const int first_channel = static_cast<int>(place.row % (channels / size)) * size;
  store_group<EVEN, ONE>(row, held, place.first, place.kStep, own, weight + first_channel, bias + first_channel, pixels,
                         size, y);
}
