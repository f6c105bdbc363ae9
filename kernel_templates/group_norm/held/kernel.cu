// Group normalisation of small images, where channels are innermost, in one launch: a block, or a cluster, holds a
// group in registers. All loads are under way at once, and there is one exchange between warps.
#include "common/early.cuh"
#include "common/held_slab.cuh"
#include "group_norm.cuh"

// The vectors of a group of SIZE channels that a thread holds. SIZE / VEC neighbouring threads cover the channels, and
// take turns at the pixels; a few threads are left over. To HeldExchange, the threads of a cluster are turns at one
// channel.
template <typename T, int THREADS, int SIZE, int VEC, int HELD, int CLUSTER> struct HeldGroup {
  using V = wt::Vec<T, VEC>;
  static constexpr int kThreads = THREADS, kChannels = 1, kVec = 1, kBlocks = CLUSTER, kAcross = 1;
  static constexpr int kThreadsOfPixel = SIZE / VEC, kTurns = THREADS / kThreadsOfPixel,
                       kUsed = kTurns * kThreadsOfPixel;
  static_assert(SIZE % VEC == 0 && kTurns > 0, "whole vectors");
  static_assert(HELD * VEC * sizeof(T) <= 128, "more than 128 bytes in the registers of a thread spill");
  int rank, turn;           // of the block in its cluster; of the thread in the cluster
  int channel, first, step; // in the group; of the thread's vectors, from the group's first element on
  int whole, count;         // threads of the cluster that have HELD vectors; vectors of this thread

  __device__ __forceinline__ HeldGroup(int pixels, int channels) {
    const int thread = static_cast<int>(threadIdx.x);
    rank = static_cast<int>(blockIdx.x) % CLUSTER;
    turn = rank * THREADS + thread;
    channel = thread % kThreadsOfPixel * VEC;
    first = (rank * kTurns + thread / kThreadsOfPixel) * channels + channel;
    step = kTurns * CLUSTER * channels;
    whole = (pixels - (HELD - 1) * kTurns * CLUSTER) * kThreadsOfPixel;
    count = thread >= kUsed ? 0 : rank * kUsed + thread < whole ? HELD : HELD - 1;
  }
  // Elements of `threads` neighbouring threads.
  __device__ __forceinline__ float rows_of(int first_thread, int threads) const {
    return static_cast<float>((vectors_before(first_thread + threads) - vectors_before(first_thread)) * VEC);
  }
  __device__ __forceinline__ void load(const T* group, V (&held)[HELD]) const {
#pragma unroll
    for (int i = 0; i < HELD; ++i)
      if (i < count) held[i] = wt::load<wt::kDefault, V>(group + first + i * step);
  }
  // The mean, and the sum of the squares of the deviations from it.
  __device__ __forceinline__ float2 moments(const V (&held)[HELD]) const {
    float2 own = make_float2(0, 0);
    each(held, [&](int, float v) { own.x += v; });
    own.x *= count == HELD ? 1.0f / (HELD * VEC) : HELD > 1 ? 1.0f / ((HELD > 1 ? HELD - 1 : 1) * VEC) : 0.0f;
    each(held, [&](int, float v) { own.y = fmaf(v - own.x, v - own.x, own.y); });
    return own;
  }

 private:
  template <typename Use> __device__ __forceinline__ void each(const V (&held)[HELD], const Use& use) const {
#pragma unroll
    for (int i = 0; i < HELD; ++i) {
      if (i >= count) continue;
      float v[VEC];
      wt::unpack<T, VEC>(held[i], v);
#pragma unroll
      for (int k = 0; k < VEC; ++k) use(k, v[k]);
    }
  }
  __device__ __forceinline__ int vectors_before(int thread) const {
    const int used = thread / THREADS * kUsed + min(thread % THREADS, kUsed);
    return (HELD - 1) * used + min(used, whole);
  }
};

// Blocks of a row of the grid work on an image. share: 1 / elements of a group.
template <typename T, int THREADS, int SIZE, int VEC, int HELD, int CLUSTER>
__global__ void __launch_bounds__(THREADS)
    normalise_held(const T* __restrict__ x, const T* __restrict__ weight, const T* __restrict__ bias,
                   float* __restrict__ mean, float* __restrict__ rstd, T* __restrict__ y, float eps, float share,
                   int channels, int pixels) {
  wt::wait_for_earlier_work();
  using Group = HeldGroup<T, THREADS, SIZE, VEC, HELD, CLUSTER>;
  using V = typename Group::V;
  __shared__ wt::HeldExchange<wt::MomentPairs, Group> exchange;
  const int group = static_cast<int>(blockIdx.x) / CLUSTER, image = static_cast<int>(blockIdx.y);
  const int begin = image * pixels * channels + group * SIZE;
  const Group own(pixels, channels);
  exchange.announce();
  V held[HELD];
  own.load(x + begin, held);
  float w[VEC], b[VEC];
  wt::unpack<T, VEC>(wt::load<wt::kDefault, V>(weight + group * SIZE + own.channel), w);
  wt::unpack<T, VEC>(wt::load<wt::kDefault, V>(bias + group * SIZE + own.channel), b);

  float2 all[1] = {own.moments(held)};
  exchange.merge(own, all);
  const Statistics of_group{isnan(all[0].y) ? all[0].y : all[0].x, rsqrtf(fmaf(all[0].y, share, eps))};
#pragma unroll
  for (int i = 0; i < HELD; ++i) {
    if (i >= own.count) continue;
    float v[VEC];
    wt::unpack<T, VEC>(held[i], v);
#pragma unroll
    for (int k = 0; k < VEC; ++k) v[k] = Coefficients{of_group.mean, of_group.rstd * w[k], b[k]}.normalise(v[k]);
    wt::store<wt::kDefault>(y + begin + own.first + i * own.step, wt::pack<T, VEC>(v));
  }
  if (own.turn > 0) return;
  const int at = image * (static_cast<int>(gridDim.x) / CLUSTER) + group;
  mean[at] = of_group.mean;
  rstd[at] = of_group.rstd;
}
