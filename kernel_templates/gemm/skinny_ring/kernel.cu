// C = A * B in fp32 where m or n is at most 16, bound by the memory that the long side's operand comes from. One thread of a block has TMA
// fill a ring of slabs of both operands, and the other warps multiply from shared memory. So bytes in flight take no registers, and lanes
// that own columns read the short side's operand as a broadcast.
#include "gate_parts.cuh"
#include "quads.cuh"
#include "common/tma.cuh"

namespace {

// A place in the ring of stages; `phase` is the parity of the round.
template <int STAGES> struct Ring {
  int stage = 0;
  u32 phase = 0;
  __device__ __forceinline__ void next() {
    if (++stage == STAGES) stage = 0, phase ^= 1;
  }
};

} // namespace

// FEW_IS_M: m is the short side, so that B is the long side's operand. ALONG_K, FEW_ALONG_K: k lies in the rows of the operand. A tile is
// WIDTH of the long side, which LANES lanes share, COLUMNS for each. With more than 8 of the few, two groups of lanes have half of them
// each. All that is left of the block, lanes and WARPS, shares the k of a slab of SLAB. SPLIT_K blocks of a cluster share the k of a tile,
// and then there is one tile to a block; else blocks walk the tiles. The order of all sums is fixed.
template <int FEW, bool FEW_IS_M, bool ALONG_K, bool FEW_ALONG_K, int WIDTH, int LANES, int COLUMNS, int SLAB, int STAGES, int WARPS,
          int SPLIT_K, int PER_SM, bool C_GAPS, int EPILOGUE>
__global__ void __launch_bounds__((WARPS + 1) * 32, PER_SM)
    gemm_skinny_ring(const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map, float* __restrict__ c,
                     float* __restrict__ parts, const float* bias, const float* residual, const float* row_scale,
                     const float* column_scale, float alpha, float beta, int m, int n, int k, int batch, i64 a_step, i64 b_step, int ldc) {
  using E = Epilogue<EPILOGUE, float>;
  using Many = ManySlab<ALONG_K, WIDTH, LANES, COLUMNS>;
  constexpr int kGroups = FEW > 8 ? 2 : 1, kRows = (FEW + kGroups - 1) / kGroups; // of the few
  constexpr int kDeep = 32 / (LANES * kGroups), kWays = WARPS * kDeep;           // among a warp, a block: that share k
  constexpr int kQuads = SLAB / 4 / kWays;
  constexpr int kMany = WIDTH * SLAB, kFew = (FEW_ALONG_K ? kGroups * kRows : FEW) * SLAB; // floats of a stage
  constexpr int kPadded = LANES * COLUMNS; // columns that are computed; those beyond WIDTH are of whatever follows in shared memory
  constexpr int kTogether = kWays * kGroups * kPadded <= 2048 ? 2 : 1; // rows of each group whose sums meet at a time
  constexpr int kMeet = kGroups * kTogether * kPadded;
  constexpr int kOwnRows = (FEW + SPLIT_K - 1) / SPLIT_K; // that a block of the cluster finishes
  static_assert(SLAB % (4 * kWays) == 0 && SLAB % 32 == 0 && WIDTH % 8 == 0 && kPadded >= WIDTH && LANES >= 8);
  static_assert(ALONG_K ? kPadded == WIDTH : COLUMNS % 4 == 0);

  extern __shared__ unsigned char raw[];
  float* const manies = reinterpret_cast<float*>(raw + (1024 - wt::shared_address(raw) % 1024) % 1024);
  float* const fews = manies + STAGES * kMany;
  float* const meeting = fews + STAGES * kFew;     // kWays of kMeet
  float* const gathered = meeting + kWays * kMeet; // kOwnRows of SPLIT_K of kPadded, where SPLIT_K > 1
  __shared__ u64 full[STAGES], empty[STAGES];

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == WARPS * 32) {
    wt::tma_prefetch(&a_map);
    wt::tma_prefetch(&b_map);
    for (int s = 0; s < STAGES; ++s) {
      wt::barrier_init(&full[s], 1);
      wt::barrier_init(&empty[s], WARPS);
    }
    wt::barrier_init_fence();
  }
  __syncthreads();
  if constexpr (SPLIT_K > 1) wt::cluster_arrive(); // that all blocks have begun matters to the sums alone

  const int many = FEW_IS_M ? n : m;
  const int across = (many - 1) / WIDTH + 1, tiles = across * batch;
  const int part = SPLIT_K > 1 ? int(wt::cluster_rank()) : 0, stride = gridDim.x / SPLIT_K;
  const int slabs = (k - 1) / SLAB + 1;
  const int begin = int(i64(slabs) * part / SPLIT_K), end = int(i64(slabs) * (part + 1) / SPLIT_K);
  Ring<STAGES> ring;

  if (warp == WARPS) {
    if (lane == 0) {
      const TensorMap& many_map = FEW_IS_M ? b_map : a_map;
      const TensorMap& few_map = FEW_IS_M ? a_map : b_map;
      const bool many_shared = (FEW_IS_M ? b_step : a_step) == 0, few_shared = (FEW_IS_M ? a_step : b_step) == 0;
      for (int tile = blockIdx.x / SPLIT_K; tile < tiles; tile += stride) {
        const int product = tile / across, first = tile % across * WIDTH;
        const int many_z = many_shared ? 0 : product, few_z = few_shared ? 0 : product;
        for (int slab = begin; slab < end; ++slab, ring.next()) {
          u64* const barrier = &full[ring.stage];
          float* const to = manies + ring.stage * kMany;
          const int depth = slab * SLAB;
          wt::barrier_wait(&empty[ring.stage], ring.phase ^ 1);
          wt::barrier_arrive_expect(barrier, (kMany + kFew) * 4); // what lies outside of a matrix arrives as zeros, and counts
          if constexpr (ALONG_K) {
#pragma unroll
            for (int box = 0; box < SLAB / 32; ++box)
              wt::tma_load(to + box * WIDTH * 32, &many_map, depth + box * 32, first, many_z, barrier);
          } else {
            wt::tma_load(to, &many_map, first, depth, many_z, barrier);
          }
          wt::tma_load(fews + ring.stage * kFew, &few_map, FEW_ALONG_K ? depth : 0, FEW_ALONG_K ? 0 : depth, few_z, barrier);
        }
      }
    }
    __syncwarp();
    if constexpr (SPLIT_K > 1) {
      wt::cluster_wait();
      wt::cluster_arrive();
      wt::cluster_wait();
    }
    return;
  }

  const int in_lanes = lane % LANES, group = lane / LANES % kGroups, way = warp * kDeep + lane / (LANES * kGroups);
  bool first_tile = true;
  for (int tile = blockIdx.x / SPLIT_K; tile < tiles; tile += stride) {
    const int product = tile / across, first = tile % across * WIDTH;
    float sums[COLUMNS][kRows] = {};
    for (int slab = begin; slab < end; ++slab, ring.next()) {
      const float* const of_many = manies + ring.stage * kMany;
      const float* const of_few = fews + ring.stage * kFew + group * kRows * (FEW_ALONG_K ? SLAB : 1);
      wt::barrier_wait(&full[ring.stage], ring.phase);
#pragma unroll
      for (int i = 0; i < kQuads; ++i) {
        const int quad = way + i * kWays;
        float columns[4][COLUMNS];
        Many::read(columns, of_many + Many::place(in_lanes, quad));
        add_quad<FEW, FEW_ALONG_K, SLAB>(sums, columns, of_few + quad * 4 * (FEW_ALONG_K ? 1 : FEW));
      }
      __syncwarp();
      if (lane == 0) wt::barrier_arrive(&empty[ring.stage]);
    }

    const i64 count = i64(m) * n;
    const int pitch_c = C_GAPS ? ldc : n;
    const i64 of_c = i64(product) * m * pitch_c;
    const E epilogue{bias, residual + of_c, row_scale, column_scale, alpha, beta, n, pitch_c};
    const auto store = [&](int f, int in_tile, float sum) {
      const int place = first + in_tile;
      if (in_tile >= WIDTH || place >= many) return;
      const int row = FEW_IS_M ? f : place, column = FEW_IS_M ? place : f;
      if constexpr (E::kGated)
        parts[product * count + i64(row) * n + column] = sum; // gemm_gate makes C of them
      else
        c[of_c + i64(row) * pitch_c + column] = epilogue.all(sum, row, column);
    };

    if constexpr (SPLIT_K > 1) wt::cluster_wait();
#pragma unroll
    for (int r = 0; r < kRows; r += kTogether) {
      if (r > 0 || !first_tile) wt::named_barrier<1, WARPS * 32>(); // the previous sums have been read
#pragma unroll
      for (int t = 0; t < kTogether; ++t) {
        if (r + t >= kRows) break;
        float* const to = meeting + way * kMeet + (group * kTogether + t) * kPadded;
        constexpr int kVec = ALONG_K ? 1 : 4;
#pragma unroll
        for (int i = 0; i < COLUMNS; i += kVec) {
          wt::Vec<float, kVec> vector;
#pragma unroll
          for (int e = 0; e < kVec; ++e) vector.v[e] = sums[i + e][r + t];
          *reinterpret_cast<wt::Vec<float, kVec>*>(to + Many::column(in_lanes, i)) = vector;
        }
      }
      wt::named_barrier<1, WARPS * 32>();
      for (int i = threadIdx.x * 2; i < kMeet; i += WARPS * 64) {
        const int in_group = r + i / kPadded % kTogether, f = i / kPadded / kTogether * kRows + in_group, column = i % kPadded;
        if (in_group >= kRows || f >= FEW) continue;
        float2 sum = *reinterpret_cast<const float2*>(meeting + i);
#pragma unroll
        for (int w = 1; w < kWays; ++w) {
          const float2 other = *reinterpret_cast<const float2*>(meeting + w * kMeet + i);
          sum.x += other.x, sum.y += other.y;
        }
        if constexpr (SPLIT_K > 1) {
          const float* const to = gathered + (f / SPLIT_K * SPLIT_K + part) * kPadded + column;
          wt::store_remote(wt::peer_address(to, f % SPLIT_K), sum);
        } else {
          store(f, column, sum.x);
          store(f, column + 1, sum.y);
        }
      }
    }
    if constexpr (SPLIT_K > 1) {
      __syncwarp();
      wt::cluster_arrive();
      wt::cluster_wait(); // the sums of all parts have arrived, and no peer writes here any more
      for (int i = threadIdx.x; i < kOwnRows * kPadded; i += WARPS * 32) {
        const int f = i / kPadded * SPLIT_K + part, column = i % kPadded;
        if (f >= FEW) continue;
        const float* const from = gathered + i / kPadded * SPLIT_K * kPadded + column;
        float sum = from[0];
#pragma unroll
        for (int s = 1; s < SPLIT_K; ++s) sum += from[s * kPadded];
        store(f, column, sum);
      }
      return; // there is one tile to a block
    }
    first_tile = false;
  }
}
