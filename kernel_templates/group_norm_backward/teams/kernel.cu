// The gradient of group normalisation where channels are innermost, with one cooperative launch for dx: a team of
// blocks holds dy and x of an image in shared memory, so that the device's memory is read once, while its next images
// arrive.
#include "common/group_sums.cuh"
#include "common/image_ring.cuh"
#include "gradient.cuh"

// Images of GROUPS groups of SIZE channels. pairs[(image * size of a team + rank) * GROUPS + group]: 0 before the
// launch. parts[block * channels + channel]: sums over all images of the block.
template <typename T, int THREADS, int SIZE, int GROUPS, int VEC, int TURNS>
__global__ void __launch_bounds__(THREADS, 1)
    gradients_of_images(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ weight,
                        const float* __restrict__ mean, const float* __restrict__ rstd, T* __restrict__ dx,
                        Both* __restrict__ parts, u64* pairs, int images, int pixels, int teams, int size, int slots,
                        float share) {
  constexpr int kChannels = SIZE * GROUPS;
  using Ring = wt::ImageRing<T, 2, kChannels, VEC, TURNS>;
  using Held = typename Ring::V[2];
  using GroupSums = wt::GroupSums<THREADS, SIZE, GROUPS, VEC, TURNS>;
  using ChannelSums = wt::GroupSums<THREADS, 1, kChannels, VEC, TURNS>;
  constexpr int kUnit = GroupSums::kUnit, kUnits = GroupSums::kUnits;
  extern __shared__ __align__(128) u8 memory[];
  __shared__ u64 full[wt::kMostSlots];
  __shared__ float2 means[GROUPS];
  const GroupSums group_sums{reinterpret_cast<float2*>(memory + slots * 2 * Ring::kSlotBytes)};
  Ring ring({dy, x}, teams, size, images, pixels, slots, memory, full);
  float totals[2][VEC] = {}; // of the thread

  while (ring.more()) {
    float centre[kUnits], deviation[kUnits], sums[2][VEC] = {};
#pragma unroll
    for (int u = 0; u < kUnits; ++u) {
      const i64 group = i64(ring.image) * GROUPS + (ring.channel + u * kUnit) / SIZE;
      centre[u] = mean[group];
      deviation[u] = rstd[group];
    }
    ring.each_as_it_comes([&](const Held& held) { add_vectors(held, centre, sums); });
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      const float w = wt::to_float(weight[ring.channel + k]), product = sums[1][k] * deviation[k / kUnit];
      totals[0][k] += sums[0][k];
      totals[1][k] += product;
      sums[0][k] *= w;
      sums[1][k] = w * product;
    }
    u64* const all = pairs + i64(ring.image) * size * GROUPS;
    group_sums.each(sums, [&](int g, const wt::Sums<2>& sum) {
      wt::give_pair(all + ring.rank * GROUPS + g, make_float2(sum.v[0], sum.v[1]));
    });

    T own_weight[VEC]; // loaded while the others' pairs arrive
#pragma unroll
    for (int k = 0; k < VEC; ++k) own_weight[k] = weight[ring.channel + k];
    const auto part_of = [](float2 pair, int) {
      wt::Sums<2> part;
      part.v[0] = pair.x;
      part.v[1] = pair.y;
      return part;
    };
    group_sums.template merge<wt::Sums<2>>(all, size, part_of, [&](int g, const wt::Sums<2>& whole) {
      means[g] = make_float2(whole.v[0] * share, whole.v[1] * share);
    });
    __syncthreads();
    Coefficients own[VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      const float2 of_group = means[(ring.channel + k / kUnit * kUnit) / SIZE];
      const float scale = deviation[k / kUnit];
      own[k] = {centre[k / kUnit], scale * wt::to_float(own_weight[k]), scale * of_group.x, scale * scale * of_group.y};
    }
    ring.each_and_fetch([&](i64 i, const Held& held) {
      float gradient[VEC], input[VEC];
      wt::unpack<T, VEC>(held[0], gradient);
      wt::unpack<T, VEC>(held[1], input);
#pragma unroll
      for (int k = 0; k < VEC; ++k) gradient[k] = own[k].gradient(gradient[k], input[k]);
      wt::store<wt::kDefault>(dx + i, wt::pack<T, VEC>(gradient));
    });
  }
  __syncthreads();
  const ChannelSums channel_sums{reinterpret_cast<float2*>(memory)}; // no image uses the ring any more
  channel_sums.each(totals, [&](int c, const wt::Sums<2>& sum) {
    Both own;
    own.v[0] = sum.v[0];
    own.v[1] = sum.v[1];
    parts[i64(blockIdx.x) * kChannels + c] = own;
  });
}
