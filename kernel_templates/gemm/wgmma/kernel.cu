// C = A * B with 16-bit operands and sums in fp32, by TMA and wgmma. One warpgroup starts the copies into a ring of stages,
// CONSUMERS others multiply. Blocks are persistent and walk the tiles.
//
// "Left" is what gives a tile its BM rows and wgmma its 64-row operand, "right" gives the BN columns. That is A and B, or, for
// products with few rows (SWAP), B and A: then the tile is one of C transposed.
#include "align_rows.cuh"
#include "split_k.cuh"
#include "store.cuh"
#include "stream.cuh"
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

// Maps of A and B: of the matrices, or of copies with aligned rows (A_COPIED, B_COPIED). lda, a_step and their like are in the maps;
// a_step is 0 where all products share A. C_GAPS: rows of C and of the residual are ldc apart, else they have no gaps.
// STREAM_LEFT, STREAM_RIGHT: cp.async copies the operand, not TMA.
template <typename T, typename Out, int BM, int BN, int SLABS, int STAGES, int CONSUMERS, bool PINGPONG, int CLUSTER_M, int CLUSTER_N,
          int SPLIT_K, int GROUP, bool ALONG_ROWS, int PANELS, bool LEFT_MN, bool RIGHT_MN, bool SWAP, bool A_COPIED, bool B_COPIED,
          bool STREAM_LEFT, bool STREAM_RIGHT, bool C_GAPS, int EPILOGUE>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    gemm_wgmma(const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap a_copy_map,
               const __grid_constant__ TensorMap b_map, const __grid_constant__ TensorMap b_copy_map,
               const __grid_constant__ TensorMap c_map, const __grid_constant__ TensorMap residual_map, const T* a, const T* b, Out* c,
               const T* bias, const T* residual, const float* row_scale, const float* column_scale, float alpha, float beta, int m, int n,
               int k, int batch, int lda, int ldb, i64 a_step, i64 b_step, int ldc) {
  using E = Epilogue<EPILOGUE, T, sizeof(Out) == 2 ? Effort::tanh : kUsualEffort<T>>;
  constexpr int kCluster = CLUSTER_M * CLUSTER_N;    // blocks that share operands
  // Bits of the blocks that share the left operand with rank 0, and the right one. Rank is rank_m + CLUSTER_M * rank_n.
  constexpr int kInRow = CLUSTER_N > 1 ? 1 | 1 << CLUSTER_M : 1, kInColumn = (1 << CLUSTER_M) - 1;
  static_assert(CLUSTER_M <= 2 && CLUSTER_N <= 2);
  constexpr int kRows = PINGPONG ? BM : BM / CONSUMERS; // of a consumer
  constexpr int kBlocks = kRows / 64;
  constexpr int kLeft = BM * 128, kRight = (RIGHT_MN ? (BN + 63) / 64 * 64 : BN) * 128; // bytes of 64 of k
  constexpr int kStage = SLABS * (kLeft + kRight), kDepth = SLABS * 64;
  constexpr bool kStreams = STREAM_LEFT || STREAM_RIGHT;
  constexpr int kMapped = STREAM_LEFT ? SLABS * kRight : STREAM_RIGHT ? SLABS * kLeft : kStage; // bytes of a stage that TMA copies
  static_assert(!(STREAM_LEFT && (STREAM_RIGHT || LEFT_MN)) && !(STREAM_RIGHT && RIGHT_MN));
  static_assert(!kStreams || (kCluster == 1 && !A_COPIED && !B_COPIED));
  // Gates: the tile is of two pieces of A * B, n / 2 columns apart. They are the halves of BN or, swapped, of BM.
  constexpr bool kGatedLeft = E::kGated && SWAP, kGatedRight = E::kGated && !SWAP;
  constexpr int kOutN = kGatedRight ? BN / 2 : BN, kOutBlocks = kGatedLeft ? kBlocks / 2 : kBlocks; // of C, of a consumer
  constexpr int kApart = kGatedLeft ? kBlocks / 2 * (BN / 4) : BN / 8;
  constexpr int kPairs = kOutBlocks * kOutN / 4;
  using Store = PanelStore<Out, kOutN, kOutBlocks, PANELS == 0 ? 1 : PANELS, SWAP, E>;
  // The tile's residual follows its slices through the ring, in panels like those of C, so that it takes no memory of its own. In
  // clusters it comes from global memory: of a stage that no peer has a part of, a peer may free the next round before this one is over.
  // So it does behind a stream, whose stages wait for the copies of all threads.
  // Small tiles hold theirs in registers: it is there before the last products. (Swapped or with parts of k, its loads were slower.)
  constexpr bool kHoldsResidual = E::kResidual && !SWAP && SPLIT_K == 1 && kPairs <= 16;
  constexpr bool kResidualMap = E::kResidual && PANELS > 0 && !kHoldsResidual, kResidualRing = kResidualMap && kCluster == 1 && !kStreams;
  constexpr bool kPrefetchesResidual = E::kResidual && !kResidualMap && !kHoldsResidual;
  constexpr int kPanels = Store::kPanels * (PINGPONG ? 1 : CONSUMERS), kPanelsOfStage = kStage / Store::kBytes; // of a tile
  constexpr int kResidualStages = kResidualRing ? (kPanels + kPanelsOfStage - 1) / kPanelsOfStage : 0;
  constexpr bool kHoldsBias = E::kBias && !E::kGated && !SWAP && PANELS > 0;
  static_assert(kRows % 64 == 0 && BN == WGMMA_N);
  constexpr int kFillers = kStreams ? 128 : kPrefetchesResidual ? 32 : 1; // threads that fill the ring
  constexpr int kReady = 7, kWaitForReady = (kStreams ? 128 : 32) + CONSUMERS * 128; // a barrier of the block, and who takes part in it
  static_assert(kCluster == 1 || SPLIT_K == 1);
  static_assert(!E::kGated || (SPLIT_K == 1 && CLUSTER_M == 1 && (kGatedLeft ? kBlocks % 2 == 0 && CLUSTER_N == 1 : BN % 16 == 0)));

  extern __shared__ unsigned char raw[];
  unsigned char* const shared = raw + (1024 - wt::shared_address(raw) % 1024) % 1024;
  __shared__ u64 full[STAGES], empty[STAGES], parts_arrived;

  const TensorMap& of_a = A_COPIED ? a_copy_map : a_map;
  const TensorMap& of_b = B_COPIED ? b_copy_map : b_map;
  const TensorMap& left_map = SWAP ? of_b : of_a;
  const TensorMap& right_map = SWAP ? of_a : of_b;
  const int group = threadIdx.x / 128;
  const int rank = kCluster * SPLIT_K > 1 ? int(wt::cluster_rank()) : 0;
  const int rank_m = rank % CLUSTER_M, rank_n = kCluster > 1 ? rank / CLUSTER_M : 0;
  if (threadIdx.x == 0) {
    wt::tma_prefetch(&left_map);
    wt::tma_prefetch(&right_map);
    for (int s = 0; s < STAGES; ++s) {
      wt::barrier_init(&full[s], kStreams ? 1 + kFillers : 1);
      wt::barrier_init(&empty[s], (PINGPONG ? 1 : CONSUMERS) * (CLUSTER_M + CLUSTER_N - 1));
    }
    if constexpr (SPLIT_K > 1) wt::barrier_init(&parts_arrived, 1);
    wt::barrier_init_fence();
    if constexpr (SPLIT_K > 1) wt::barrier_arrive_expect(&parts_arrived, parts_bytes<SPLIT_K>(BM * BN));
  }
  if constexpr (kCluster > 1) {
    wt::cluster_arrive();
    wt::cluster_wait();
  } else if (group > 0 || (kStreams && threadIdx.x >= 32)) {
    asm volatile("bar.sync %0, %1;" ::"n"(kReady), "n"(kWaitForReady) : "memory");
  } else if (threadIdx.x < 32) { // the thread that fills the ring has initialised the barriers itself, so it does not wait
    __syncwarp();
    asm volatile("bar.arrive %0, %1;" ::"n"(kReady), "n"(kWaitForReady) : "memory");
  }
  if constexpr (SPLIT_K > 1) wt::cluster_arrive(); // peers may send their parts; exchange_parts waits for them

  const int c_columns = E::kGated ? n / 2 : n, pitch = C_GAPS ? ldc : c_columns;
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
  // rounded down to 8, of each thread. A block that asks for more waits for ever. Streams hold addresses of many rows.
  constexpr int kTaken = kStreams && CONSUMERS == 2 ? 208 : 224, kKept = !kStreams ? 56 : CONSUMERS == 2 ? 88 : 120;
  if (group == 0) {
    wt::give_registers<kKept>();
    if (threadIdx.x < kFillers) {
      if constexpr (A_COPIED || B_COPIED) wt::wait_for_predecessor();
      for (int tile = first_tile; tile < tiles; tile += step) {
        int row, column, product;
        place(tile, row, column, product);
        const int left_row = kGatedLeft ? row / 2 : row, right_row = kGatedRight ? column / 2 : column;
        const int left_product = (SWAP ? b_step : a_step) == 0 ? 0 : product;
        const int right_product = (SWAP ? a_step : b_step) == 0 ? 0 : product;
        constexpr bool kStreamsB = SWAP ? STREAM_LEFT : STREAM_RIGHT;
        const i64 streamed = SWAP == kStreamsB ? left_product : right_product;
        const Streamed<T> stream =
            kStreamsB ? Streamed<T>{b + streamed * b_step, ldb, n, k} : Streamed<T>{a + streamed * a_step, lda, m, k};
        const auto residual_row = [&](int panel) { return left_row + panel / Store::kPanels * kOutBlocks * 64; };
        int fetched = 0; // panels of the residual, into L2
        if constexpr (kPrefetchesResidual) {
          constexpr int kTileRows = SWAP ? BN : BM, kTileColumns = SWAP ? (kGatedLeft ? BM / 2 : BM) : kOutN;
          if (threadIdx.x < 32) {
            __syncwarp(); // not tiles ahead
            prefetch_residual<kTileRows, kTileColumns>(residual + i64(product) * m * pitch, SWAP ? right_row : left_row,
                                                       SWAP ? left_row : right_row, m, c_columns, pitch);
          }
          if (!kStreams && threadIdx.x != 0) continue;
        }
        for (int s = first_slice; s < first_slice + slices; ++s) {
          wt::barrier_wait(&empty[ring.stage], ring.phase ^ 1);
          u64* const barrier = &full[ring.stage];
          const bool maps = !kStreams || threadIdx.x == 0;
          if (maps) wt::barrier_arrive_expect(barrier, kMapped);
          unsigned char* const left = shared + ring.stage * kStage;
          unsigned char* const right = left + SLABS * kLeft;
#pragma unroll
          for (int slab = 0; slab < SLABS; ++slab) {
            const int at = s * kDepth + slab * 64;
            if constexpr (STREAM_LEFT)
              stream.template copy<BM, kGatedLeft>(left + slab * kLeft, left_row, left_row + c_columns, at);
            else if (maps)
              load_slab<BM, LEFT_MN, CLUSTER_N, kGatedLeft>(left + slab * kLeft, left_map, left_row, left_row + c_columns, at,
                                                            left_product, barrier, rank_n, u16(kInRow << rank_m));
            if constexpr (STREAM_RIGHT)
              stream.template copy<BN, kGatedRight>(right + slab * kRight, right_row, right_row + c_columns, at);
            else if (maps)
              load_slab<BN, RIGHT_MN, CLUSTER_M, kGatedRight>(right + slab * kRight, right_map, right_row, right_row + c_columns, at,
                                                              right_product, barrier, rank_m, u16(kInColumn << rank_n * CLUSTER_M));
          }
          if constexpr (kStreams) barrier_arrive_with_copies(barrier);
          ring.next();
          // Evenly over the slices: all blocks come to the ends of their tiles at once, and memory would keep them waiting there.
          if constexpr (kResidualMap)
            for (const int due = (s - first_slice + 1) * kPanels / slices; fetched < due; ++fetched)
              if (maps) Store::prefetch_residual(residual_map, fetched % Store::kPanels, residual_row(fetched), right_row, product);
        }
        for (int s = 0; s < kResidualStages; ++s) {
          const int first = s * kPanelsOfStage, panels = min(kPanelsOfStage, kPanels - first);
          wt::barrier_wait(&empty[ring.stage], ring.phase ^ 1);
          wt::barrier_arrive_expect(&full[ring.stage], panels * Store::kBytes);
          for (int i = 0; i < panels; ++i)
            Store::load_residual(shared + ring.stage * kStage + i * Store::kBytes, residual_map, (first + i) % Store::kPanels,
                                 residual_row(first + i), right_row, product, &full[ring.stage]);
          ring.next();
        }
      }
      if constexpr (kStreams) wt::async_copy_wait_all();
      // Peers arrive at these barriers until the end: leave when all have.
      if (kCluster > 1 && threadIdx.x == 0)
        for (int s = 0; s < STAGES; ++s) {
          wt::barrier_wait(&empty[ring.stage], ring.phase ^ 1);
          ring.next();
        }
    }
    if constexpr (SPLIT_K > 1) {
      __syncwarp();
      wt::cluster_wait();
    }
  } else {
    wt::take_registers<kTaken>();
    const int consumer = group - 1, thread = threadIdx.x % 128;
    const Store store{shared + STAGES * kStage + consumer * PANELS * Store::kBytes, c_map, consumer + 1};
    const auto release = [&](int stage) {
      if constexpr (kCluster > 1) {
        const bool loads_for_us = thread % CLUSTER_M == rank_m || thread / CLUSTER_M == rank_n;
        if (thread < kCluster && loads_for_us) wt::barrier_arrive_peer(&empty[stage], thread);
      } else {
        if (thread == 0) wt::barrier_arrive(&empty[stage]);
      }
    };
    // Ping-pong: consumers multiply in turns, while the other stores what it has. Barriers 5 and 6 say whose turn it is.
    const int own_turn = 5 + consumer, other_turn = 6 - consumer;
    if constexpr (PINGPONG) {
      if (consumer == 1) {
        ring.skip(slices + kResidualStages);
        if (first_tile < tiles) asm volatile("bar.arrive %0, 256;" ::"r"(other_turn) : "memory");
      }
    }
    // Blocks of 64 rows of the left operand; those of the second half of a gate lie half a tile further.
    const auto block_offset = [](int i) { return i < kOutBlocks ? i * 8192 : BM * 64 + (i - kOutBlocks) * 8192; };
    float sums[kBlocks][BN / 2];
    for (int tile = first_tile + (PINGPONG ? consumer * step : 0); tile < tiles; tile += PINGPONG ? 2 * step : step) {
      int row, column, product;
      place(tile, row, column, product);
      // In C; swapped, `out_row` is a column of it.
      const int out_row = (kGatedLeft ? row / 2 : row) + (PINGPONG ? 0 : consumer * kOutBlocks * 64);
      const int out_column = kGatedRight ? column / 2 : column;
      u32 held_residual[kHoldsResidual ? kPairs : 1];
      if constexpr (kHoldsResidual)
        hold_residual<kOutN, (PANELS > 0)>(held_residual, residual + i64(product) * m * pitch, out_row, out_column, m, c_columns, pitch);
      if constexpr (PINGPONG) asm volatile("bar.sync %0, 256;" ::"r"(own_turn) : "memory");
      int last = -1;
      for (int s = 0; s < slices; ++s) {
        wt::barrier_wait(&full[ring.stage], ring.phase);
        if constexpr (kStreams) wt::async_proxy_fence(); // cp.async wrote by the generic proxy, wgmma reads by the other
        const u32 left = wt::shared_address(shared) + ring.stage * kStage + (PINGPONG ? 0 : consumer * (kOutBlocks * 8192));
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
                wt::wgmma_descriptor<LEFT_MN>(left + deep / 4 * kLeft + block_offset(i) + deep % 4 * wt::kWgmmaStep<LEFT_MN>),
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
      }
      u32 held_bias[kHoldsBias ? kOutN / 8 : 1]; // loaded while the last products are computed
      if constexpr (kHoldsBias) hold_bias(held_bias, bias, out_column, c_columns);
      wt::wgmma_wait<0>();
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) wt::wgmma_keep(sums[i]);
      release(last);

      Out* const out = c + i64(product) * m * pitch;
      const E epilogue{bias, residual + i64(product) * m * pitch, row_scale, column_scale, alpha, beta, c_columns, pitch};
      if constexpr (SPLIT_K > 1) {
        constexpr int kShare = kPairs / SPLIT_K;
        float share[2 * kShare];
        exchange_parts<SPLIT_K, CONSUMERS * 128, 2 * kPairs>(&sums[0][0], share, shared + STAGES * kStage, &parts_arrived,
                                                             consumer * 128 + thread, rank);
#pragma unroll
        for (int own = 0; own < SPLIT_K; ++own) // so that places are constants
          if (own == rank) {
            finish<BN, kOutN, kShare, 0, SWAP, Residual::load, false, false, T>(share, own * kShare, epilogue, held_bias, held_residual,
                                                                                out_row, out_column, m, c_columns);
            store_share<Out, kOutN, kShare, SWAP>(share, own * kShare, out, out_row, out_column, m, c_columns, pitch);
          }
      } else {
        constexpr Residual kSource = kResidualRing ? Residual::elsewhere : kHoldsResidual ? Residual::held : Residual::load;
        finish<BN, kOutN, kPairs, kApart, SWAP, kSource, kHoldsBias, (PANELS > 0), T>(&sums[0][0], 0, epilogue, held_bias, held_residual,
                                                                                     out_row, out_column, m, c_columns);
        if constexpr (kResidualRing) {
#pragma unroll
          for (int s = 0; s < kResidualStages; ++s) {
            wt::barrier_wait(&full[ring.stage], ring.phase);
#pragma unroll
            for (int i = 0; i < kPanelsOfStage; ++i) {
              const int panel = s * kPanelsOfStage + i;
              if (panel < kPanels && (PINGPONG || panel / Store::kPanels == consumer))
                Store::add_residual(&sums[0][0], panel % Store::kPanels, shared + ring.stage * kStage + i * Store::kBytes, epilogue);
            }
            wt::async_proxy_fence(); // the copies of the next round follow these reads
            store.sync();
            release(ring.stage);
            ring.next();
          }
        }
        if constexpr (PANELS == 0)
          store_share<Out, kOutN, kPairs, SWAP>(&sums[0][0], 0, out, out_row, out_column, m, c_columns, pitch);
        else
          store.store(&sums[0][0], out_row, out_column, product);
      }
      if constexpr (PINGPONG) ring.skip(slices + kResidualStages);
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
