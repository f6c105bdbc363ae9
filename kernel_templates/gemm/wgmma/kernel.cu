// C = A * B with 16-bit operands and sums in fp32, by TMA and wgmma. One warpgroup starts the copies into a ring of stages,
// CONSUMERS others multiply. Blocks are persistent and walk the tiles.
//
// "Left" is what gives a tile its BM rows and wgmma its 64-row operand, "right" gives the BN columns. That is A and B, or, for
// products with few rows (SWAP), B and A: then the tile is one of C transposed.
#include "store.cuh"
#include "tiles.cuh"
#include "common/wgmma.cuh"

WT_WGMMA_SHAPE(WGMMA_N)

namespace {

// A place in the ring of stages; `phase` is the parity of the round.
template <int STAGES> struct Ring {
  int stage = 0;
  u32 phase = 0;
  __device__ __forceinline__ void next() {
    if (++stage == STAGES) stage = 0, phase ^= 1;
  }
  __device__ __forceinline__ void skip(int slices) {
    const int to = stage + slices;
    phase ^= (to / STAGES) & 1;
    stage = to % STAGES;
  }
};

} // namespace

template <typename T, int BM, int BN, int SLABS, int STAGES, int CONSUMERS, bool PINGPONG, int CLUSTER_M, int CLUSTER_N, int SPLIT_K,
          int GROUP, bool ALONG_ROWS, int PANELS, bool LEFT_MN, bool RIGHT_MN, bool SWAP>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    gemm_wgmma(const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map, const __grid_constant__ TensorMap c_map,
               T* c, int m, int n, int k, int batch) {
  constexpr int kCluster = CLUSTER_M * CLUSTER_N;    // blocks that share operands
  constexpr int kRows = PINGPONG ? BM : BM / CONSUMERS; // of a consumer
  constexpr int kBlocks = kRows / 64;
  constexpr int kLeft = BM * 128, kRight = (RIGHT_MN ? (BN + 63) / 64 * 64 : BN) * 128; // bytes of 64 of k
  constexpr int kStage = SLABS * (kLeft + kRight), kDepth = SLABS * 64;
  using Store = PanelStore<T, BN, kBlocks, PANELS == 0 ? 1 : PANELS, SWAP>;
  static_assert(kRows % 64 == 0 && BN == WGMMA_N);
  static_assert(kCluster == 1 || SPLIT_K == 1);

  extern __shared__ unsigned char raw[];
  unsigned char* const shared = raw + (1024 - wt::shared_address(raw) % 1024) % 1024;
  __shared__ u64 full[STAGES], empty[STAGES];

  const TensorMap& left_map = SWAP ? b_map : a_map;
  const TensorMap& right_map = SWAP ? a_map : b_map;
  const int group = threadIdx.x / 128;
  const int rank = kCluster * SPLIT_K > 1 ? int(wt::cluster_rank()) : 0;
  const int rank_m = CLUSTER_M > 1 ? rank : 0, rank_n = CLUSTER_N > 1 ? rank : 0;
  if (threadIdx.x == 0) {
    wt::tma_prefetch(&left_map);
    wt::tma_prefetch(&right_map);
    for (int s = 0; s < STAGES; ++s) {
      wt::barrier_init(&full[s], 1);
      wt::barrier_init(&empty[s], (PINGPONG ? 1 : CONSUMERS) * kCluster);
    }
    wt::barrier_init_fence();
  }
  if constexpr (kCluster > 1) {
    wt::cluster_arrive();
    wt::cluster_wait();
  } else {
    __syncthreads();
  }

  const int rows = SWAP ? n : m, columns = SWAP ? m : n;
  const TileOrder<GROUP, ALONG_ROWS> order{wt::ceil_div(rows, BM * CLUSTER_M), wt::ceil_div(columns, BN * CLUSTER_N)};
  const int tiles = order.rows * order.columns * batch;
  const int first_tile = blockIdx.x / (kCluster * SPLIT_K), step = gridDim.x / (kCluster * SPLIT_K);
  const auto place = [&](int tile, int& row, int& column, int& product) {
    order.place(tile, row, column, product);
    row = (row * CLUSTER_M + rank_m) * BM;
    column = (column * CLUSTER_N + rank_n) * BN;
  };
  const int all_slices = wt::ceil_div(k, kDepth);
  const int first_slice = SPLIT_K > 1 ? int(i64(all_slices) * rank / SPLIT_K) : 0;
  const int slices = (SPLIT_K > 1 ? int(i64(all_slices) * (rank + 1) / SPLIT_K) : all_slices) - first_slice;
  Ring<STAGES> ring;

  // What one side gives is no less than what the other takes, of the registers that the block starts with: 65536 / threads,
  // rounded down to 8, of each thread. A block that asks for more waits for ever.
  if (group == 0) {
    wt::give_registers<40>();
    if (threadIdx.x == 0) {
      for (int tile = first_tile; tile < tiles; tile += step) {
        int row, column, product;
        place(tile, row, column, product);
        for (int s = first_slice; s < first_slice + slices; ++s) {
          wt::barrier_wait(&empty[ring.stage], ring.phase ^ 1);
          u64* const barrier = &full[ring.stage];
          wt::barrier_arrive_expect(barrier, kStage);
          unsigned char* const left = shared + ring.stage * kStage;
          unsigned char* const right = left + SLABS * kLeft;
#pragma unroll
          for (int slab = 0; slab < SLABS; ++slab) {
            const int at = s * kDepth + slab * 64;
            load_slab<BM, LEFT_MN, CLUSTER_N>(left + slab * kLeft, left_map, row, at, product, barrier, rank_n, u16((1 << kCluster) - 1));
            load_slab<BN, RIGHT_MN, CLUSTER_M>(right + slab * kRight, right_map, column, at, product, barrier, rank_m,
                                               u16((1 << kCluster) - 1));
          }
          ring.next();
        }
      }
      // Peers arrive at these barriers until the end: leave when all have.
      if constexpr (kCluster > 1)
        for (int s = 0; s < STAGES; ++s) {
          wt::barrier_wait(&empty[ring.stage], ring.phase ^ 1);
          ring.next();
        }
    }
    if constexpr (SPLIT_K > 1) {
      __syncwarp();
      for (int i = 0; i < 2; ++i) { // those of the consumers
        wt::cluster_arrive();
        wt::cluster_wait();
      }
    }
  } else {
    wt::take_registers<CONSUMERS == 4 ? 104 : CONSUMERS == 3 ? 152 : 232>();
    const int consumer = group - 1, thread = threadIdx.x % 128;
    unsigned char* const panels = shared + STAGES * kStage + consumer * PANELS * Store::kBytes;
    const auto release = [&](int stage) {
      if constexpr (kCluster > 1) {
        if (thread < kCluster) wt::barrier_arrive_peer(&empty[stage], thread);
      } else {
        if (thread == 0) wt::barrier_arrive(&empty[stage]);
      }
    };
    // Ping-pong: consumers multiply in turns, while the other stores what it has. Barriers 5 and 6 say whose turn it is.
    const int own_turn = 5 + consumer, other_turn = 6 - consumer;
    if constexpr (PINGPONG) {
      if (consumer == 1) {
        ring.skip(slices);
        if (first_tile < tiles) asm volatile("bar.arrive %0, 256;" ::"r"(other_turn) : "memory");
      }
    }
    float sums[kBlocks][BN / 2];
    for (int tile = first_tile + (PINGPONG ? consumer * step : 0); tile < tiles; tile += PINGPONG ? 2 * step : step) {
      int row, column, product;
      place(tile, row, column, product);
      if constexpr (PINGPONG) asm volatile("bar.sync %0, 256;" ::"r"(own_turn) : "memory");
      int last = -1;
      for (int s = 0; s < slices; ++s) {
        wt::barrier_wait(&full[ring.stage], ring.phase);
        const u32 left = wt::shared_address(shared) + ring.stage * kStage + (PINGPONG ? 0 : consumer * kRows * 128);
        const u32 right = wt::shared_address(shared) + ring.stage * kStage + SLABS * kLeft;
#pragma unroll
        for (int i = 0; i < kBlocks; ++i) wt::wgmma_keep(sums[i]);
        wt::wgmma_fence();
#pragma unroll
        for (int deep = 0; deep < SLABS * 4; ++deep)
#pragma unroll
          for (int i = 0; i < kBlocks; ++i)
            wt::Wgmma<BN>::template run<T, LEFT_MN, RIGHT_MN>(
                sums[i],
                wt::wgmma_descriptor<LEFT_MN>(left + deep / 4 * kLeft + i * 8192 + deep % 4 * wt::kWgmmaStep<LEFT_MN>),
                wt::wgmma_descriptor<RIGHT_MN>(right + deep / 4 * kRight + deep % 4 * wt::kWgmmaStep<RIGHT_MN>), s > 0 || deep > 0);
        wt::wgmma_commit();
        if (last >= 0) {
          wt::wgmma_wait<1>();
          release(last);
        }
        last = ring.stage;
        ring.next();
      }
      if constexpr (PINGPONG) {
        if (tile + step < tiles) asm volatile("bar.arrive %0, 256;" ::"r"(other_turn) : "memory");
        ring.skip(slices);
      }
      wt::wgmma_wait<0>();
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) wt::wgmma_keep(sums[i]);
      release(last);

      const int own_row = row + (PINGPONG ? 0 : consumer * kRows);
      T* const out = c + i64(product) * m * n;
      if constexpr (SPLIT_K > 1) {
        // The blocks of the cluster hold partial sums of one tile: each sums a share of the registers, in the order of rank.
        constexpr int kShare = kBlocks * BN / 2 / SPLIT_K, kPairs = kShare / 2, kThreads = CONSUMERS * 128;
        static_assert(kShare % 2 == 0);
        float2* const mail = reinterpret_cast<float2*>(shared); // [from][pair][thread]; no stage is in use any more
        const int mine = consumer * 128 + thread;
        float* const all = &sums[0][0];
        wt::cluster_arrive();
        wt::cluster_wait();
#pragma unroll
        for (int to = 0; to < SPLIT_K; ++to)
          if (to != rank)
#pragma unroll
            for (int i = 0; i < kPairs; ++i)
              wt::store_remote(wt::peer_address(mail + (rank * kPairs + i) * kThreads + mine, to),
                               make_float2(all[to * kShare + 2 * i], all[to * kShare + 2 * i + 1]));
        wt::cluster_arrive();
        wt::cluster_wait();
#pragma unroll
        for (int own = 0; own < SPLIT_K; ++own)
          if (own == rank) {
            float share[kShare];
#pragma unroll
            for (int i = 0; i < kPairs; ++i) {
              float2 sum = make_float2(0.f, 0.f);
#pragma unroll
              for (int from = 0; from < SPLIT_K; ++from) {
                const float2 part = from == own ? make_float2(all[own * kShare + 2 * i], all[own * kShare + 2 * i + 1])
                                                : mail[(from * kPairs + i) * kThreads + mine];
                sum.x += part.x;
                sum.y += part.y;
              }
              share[2 * i] = sum.x;
              share[2 * i + 1] = sum.y;
            }
            // own * kPairs is a constant of this round of the unrolled loop
            store_share<T, BN, kPairs, SWAP>(share, own * kPairs, out, own_row, column, m, n);
          }
      } else if constexpr (PANELS == 0) {
        store_share<T, BN, kBlocks * BN / 4, SWAP>(&sums[0][0], 0, out, own_row, column, m, n);
      } else {
        Store::store(sums, panels, c_map, own_row, column, product, consumer + 1);
      }
    }
    if constexpr (PANELS > 0)
      if (thread == 0) wt::bulk_wait<0>();
  }
  if constexpr (kCluster > 1) {
    __syncwarp();
    wt::cluster_arrive();
    wt::cluster_wait();
  }
}
