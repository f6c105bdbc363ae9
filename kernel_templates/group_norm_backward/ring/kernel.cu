// The gradient of group normalisation of planes of one channel by persistent blocks: bulk copies fill a ring of groups
// in shared memory ahead of them, so that the device's memory is read once. Planes of whole 16-byte vectors. sm_90.
#include "common/row_ring.cuh"
#include "gradient.cuh"

// The blocks of a cluster share the planes of one group at a time; TPC threads of a block share a plane for its sums.
// BLOCKS_PER_SM is the residency that the register allocation must allow. ONE: a group is one plane, and TPC is BLOCK.
template <typename T, int BLOCK, int TPC, int VEC, int STAGES, int BLOCKS_PER_SM, bool ONE, int CLUSTER>
__global__ void __launch_bounds__(BLOCK, BLOCKS_PER_SM)
    group_gradients(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ weight,
                    const float* __restrict__ mean, const float* __restrict__ rstd, T* __restrict__ dx,
                    Both* __restrict__ wholes, i64 groups, int channels, int pixels, int size, float share) {
  static_assert(VEC * sizeof(T) == 16, "bulk copies move whole 16-byte pieces");
  static_assert(BLOCK % TPC == 0 && (!ONE || (TPC == BLOCK && CLUSTER == 1)), "teams of a block");
  using V = wt::Vec<T, VEC>;
  constexpr int kTeams = BLOCK / TPC;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ u64 full[STAGES];
  __shared__ wt::RowExchange<Both, TPC, kTeams, 1> of_plane[2];
  __shared__ wt::RowExchange<Both, BLOCK, 1, CLUSTER> of_group[2];
  const T* const matrices[2] = {dy, x};
  const int planes = size / CLUSTER, rank = blockIdx.x % CLUSTER; // of a group; the grid is a multiple of CLUSTER
  wt::RowRing<T, 2, 1, STAGES> ring(matrices, groups * CLUSTER, planes * pixels, slots, full);
  const int team = threadIdx.x / TPC, thread = threadIdx.x % TPC, vectors = pixels / VEC; // of a plane
  int use = 0;
  for (int turn = 0; ring.more(); turn ^= 1) {
    const i64 at = ring.group / CLUSTER, image = at / (channels / size);
    const int first_channel = static_cast<int>(at % (channels / size)) * size + rank * planes;
    of_group[turn].announce();
    const float centre = mean[at], own = rstd[at];
    ring.wait();
    const V* const gradients = reinterpret_cast<const V*>(ring.row(0, 0));
    const V* const inputs = reinterpret_cast<const V*>(ring.row(1, 0));
    const auto unpack = [&](int i, float(&gradient)[VEC], float(&input)[VEC]) {
      wt::unpack<T, VEC>(gradients[i], gradient);
      wt::unpack<T, VEC>(inputs[i], input);
    };
    Both group;
    for (int first = 0; first < planes; first += kTeams, use ^= 1) {
      const int channel = first + team;
      const bool exists = channel < planes;
      Both all;
#pragma unroll 4
      for (int i = thread; i < (exists ? vectors : 0); i += TPC) {
        float gradient[VEC], input[VEC];
        unpack(channel * vectors + i, gradient, input);
#pragma unroll
        for (int k = 0; k < VEC; ++k) all.add(gradient[k], input[k] - centre);
      }
      all = of_plane[use].merge(all, 0, team);
      all.v[1] *= own;
      if (!exists || (!ONE && thread != 0)) continue;
      if (thread == 0) wholes[image * channels + first_channel + channel] = all;
      const float w = wt::to_float(weight[first_channel + channel]);
#pragma unroll
      for (int s = 0; s < 2; ++s) group.v[s] = fmaf(w, all.v[s], group.v[s]);
    }
    if constexpr (!ONE) group = of_group[turn].merge(group, rank, 0);
    Coefficients here{centre, own * wt::to_float(weight[first_channel]), own * group.v[0] * share,
                      own * own * group.v[1] * share};
#pragma unroll 4
    for (int i = threadIdx.x; i < planes * vectors; i += BLOCK) {
      if constexpr (!ONE) here.scale = own * wt::to_float(weight[first_channel + i / vectors]);
      float gradient[VEC], input[VEC];
      unpack(i, gradient, input);
#pragma unroll
      for (int k = 0; k < VEC; ++k) gradient[k] = here.gradient(gradient[k], input[k]);
      wt::store<wt::kStreaming>(dx + (ring.group * planes * vectors + i) * VEC, wt::pack<T, VEC>(gradient));
    }
    __syncthreads();
    ring.release();
    ring.advance();
  }
}
