// Group normalisation where channels are innermost, in one cooperative launch: a team of blocks holds an image in
// shared memory, so that the device's memory is read once, while its next images arrive.
#include "common/group_sums.cuh"
#include "common/image_ring.cuh"
#include "group_norm.cuh"

// Images of GROUPS groups of SIZE channels. BLOCKS_PER_SM is the residency that the register allocation must allow.
// pairs[(image * size of a team + rank) * GROUPS + group]: 0 before the launch.
template <typename T, int THREADS, int BLOCKS_PER_SM, int SIZE, int GROUPS, int VEC, int TURNS>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    normalise_images(const T* __restrict__ x, const T* __restrict__ weight, const T* __restrict__ bias,
                     float* __restrict__ mean, float* __restrict__ rstd, T* __restrict__ y, u64* pairs, float eps,
                     int images, int pixels, int teams, int size, int slots) {
  using Ring = wt::ImageRing<T, 1, SIZE * GROUPS, VEC, TURNS>;
  using Held = typename Ring::V[1];
  using GroupSums = wt::GroupSums<THREADS, SIZE, GROUPS, VEC, TURNS>;
  constexpr int kUnit = GroupSums::kUnit, kUnits = GroupSums::kUnits;
  extern __shared__ __align__(128) u8 memory[];
  __shared__ u64 full[wt::kMostSlots];
  __shared__ float shifts[GROUPS];
  __shared__ Statistics statistics[GROUPS];
  const GroupSums group_sums{reinterpret_cast<float2*>(memory + slots * Ring::kSlotBytes)};
  Ring ring({x}, teams, size, images, pixels, slots, memory, full);

  while (ring.more()) {
    u64* const all = pairs + i64(ring.image) * size * GROUPS;
    float sums[2][VEC] = {}, shift[kUnits] = {};
    const auto add = [&](const Held& held) {
      float v[VEC];
      wt::unpack<T, VEC>(held[0], v);
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        const float apart = v[k] - shift[k / kUnit];
        sums[0][k] += apart;
        sums[1][k] = fmaf(apart, apart, sums[1][k]);
      }
    };
    // The first rows give a number near the mean of each group: see block_moments.
    ring.each_of_first_chunk(add);
    group_sums.each(sums, [&](int g, const wt::Sums<2>& sum) {
      shifts[g] = sum.v[0] / (static_cast<float>(ring.rows_of_first_chunk()) * SIZE);
    });
    __syncthreads();
#pragma unroll
    for (int u = 0; u < kUnits; ++u) shift[u] = shifts[(ring.channel + u * kUnit) / SIZE];
#pragma unroll
    for (int k = 0; k < VEC; ++k) sums[0][k] = sums[1][k] = 0;
    ring.each_as_it_comes(add);
    group_sums.each(sums, [&](int g, const wt::Sums<2>& sum) {
      const float middle = sum.v[0] / (static_cast<float>(ring.rows) * SIZE), rest = fmaf(-sum.v[0], middle, sum.v[1]);
      wt::give_pair(all + ring.rank * GROUPS + g,
                    make_float2(shifts[g] + middle, rest < 0 ? 0.0f : rest)); // NaN stays NaN
    });

    T own_weight[VEC], own_bias[VEC]; // loaded while the others' pairs arrive
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      own_weight[k] = weight[ring.channel + k];
      own_bias[k] = bias[ring.channel + k];
    }
    const auto part_of = [&](float2 pair, int block) {
      wt::Moments part;
      part.count = static_cast<float>(ring.rows_of(block)) * SIZE;
      part.mean = pair.x;
      part.squares = pair.y;
      return part;
    };
    group_sums.template merge<wt::Moments>(all, size, part_of, [&](int g, const wt::Moments& whole) {
      const Statistics own = statistics[g] = statistics_of(whole, eps);
      if (ring.rank > 0) return;
      mean[i64(ring.image) * GROUPS + g] = own.mean;
      rstd[i64(ring.image) * GROUPS + g] = own.rstd;
    });
    __syncthreads();
    Coefficients own[VEC];
#pragma unroll
    for (int u = 0; u < kUnits; ++u) {
      const Statistics of_unit = statistics[(ring.channel + u * kUnit) / SIZE];
#pragma unroll
      for (int k = u * kUnit; k < (u + 1) * kUnit; ++k)
        own[k] = {of_unit.mean, of_unit.rstd * wt::to_float(own_weight[k]), wt::to_float(own_bias[k])};
    }
    ring.each_and_fetch([&](i64 i, const Held& held) {
      float v[VEC];
      wt::unpack<T, VEC>(held[0], v);
#pragma unroll
      for (int k = 0; k < VEC; ++k) v[k] = own[k].normalise(v[k]);
      wt::store<wt::kDefault>(y + i, wt::pack<T, VEC>(v));
    });
  }
}
