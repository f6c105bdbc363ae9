// C = A * B in fp32 on the FMA pipe, in all four layouts. cp.async brings slices of BK along k into a ring of STAGES, over
// COPY_STEPS steps of an earlier one; a thread holds TM x TN sums and reads the operands of the next step while it adds.
#include "operands.cuh"
#include "place.cuh"
#include "sum_parts.cuh"

namespace {

// Lane bits 0 and 1 go to different operands: 16-byte reads of shared memory then pair neighbouring lanes on one address and
// take two passes instead of four.
template <int BM, int BN, int TM, int TN, int LANES_M> struct ThreadTile : TileOfThreads<BM, BN, TM, TN, LANES_M> {
  __device__ __forceinline__ explicit ThreadTile(int thread)
      : TileOfThreads<BM, BN, TM, TN, LANES_M>(thread / 32, (thread >> 1 & 1) + 2 * ((thread % 32 >> 2) % (LANES_M / 2)),
                                               (thread & 1) + 2 * ((thread % 32 >> 2) / (LANES_M / 2))) {}
};

// T consecutive-by-four elements of a row of shared memory: vectors of 4, LANES vectors apart.
template <int T, int LANES> __device__ __forceinline__ void read_operand(float (&to)[T], const float* row) {
#pragma unroll
  for (int i = 0; i < T / 4; ++i) {
    const float4 v = *reinterpret_cast<const float4*>(row + i * LANES * 4);
    to[i * 4 + 0] = v.x;
    to[i * 4 + 1] = v.y;
    to[i * 4 + 2] = v.z;
    to[i * 4 + 3] = v.w;
  }
}

// Back and forth, so that consecutive products share an operand, which the register reuse cache then serves.
template <int TM, int TN, bool BY_ROWS>
__device__ __forceinline__ void add_products(float (&sums)[TM][TN], const float (&a)[TM], const float (&b)[TN]) {
#pragma unroll
  for (int outer = 0; outer < (BY_ROWS ? TM : TN); ++outer) {
#pragma unroll
    for (int inner = 0; inner < (BY_ROWS ? TN : TM); ++inner) {
      const int turned = outer % 2 ? (BY_ROWS ? TN : TM) - 1 - inner : inner;
      const int i = BY_ROWS ? outer : turned, j = BY_ROWS ? turned : outer;
      sums[i][j] = fmaf(a[i], b[j], sums[i][j]);
    }
  }
}

} // namespace

// FITS_M, FITS_N: C has the rows and columns of a tile. FULL_K: BK divides k. WIDTH_A, WIDTH_B, WIDTH_C: elements of an access where rows of m or n
// elements allow it. PARTED: blocks take whole tiles and then equal shares of the rest;
// `parts` holds what is no whole tile.
// FIXED_M, FIXED_N, FIXED_K: m, n and k where they are compiled in, else 0; then rows of A and B have no gaps.
template <int BM, int BN, int BK, int TM, int TN, int LANES_M, int STAGES, int COPY_STEPS, bool BY_ROWS, int GROUP, bool PARTED,
          bool A_ALONG_K, bool B_ALONG_K, int WIDTH_A, int WIDTH_B, int WIDTH_C, bool FITS_M, bool FITS_N, bool FULL_K, int FIXED_M,
          int FIXED_N, int FIXED_K, int BLOCKS_PER_SM, int EPILOGUE>
__global__ void __launch_bounds__(BM* BN / (TM * TN), BLOCKS_PER_SM)
    gemm_simt(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, float4* __restrict__ parts,
              const float* bias, const float* residual, const float* row_scale, const float* column_scale, float alpha, float beta, int m_,
              int n_, int k_, int batch, int lda, int ldb, i64 a_step, i64 b_step) {
  const int m = FIXED_M ? FIXED_M : m_, n = FIXED_N ? FIXED_N : n_, k = FIXED_K ? FIXED_K : k_;
  using Thread = ThreadTile<BM, BN, TM, TN, LANES_M>;
  constexpr int kWarps = Thread::kThreads / 32;
  using A = typename OperandOf<A_ALONG_K, BM, BK, kWarps, FITS_M, FULL_K, WIDTH_A>::type;
  using B = typename OperandOf<B_ALONG_K, BN, BK, kWarps, FITS_N, FULL_K, WIDTH_B>::type;
  constexpr int kStageA = BK * A::kPitch, kStage = kStageA + BK * B::kPitch; // floats
  constexpr int kChunks = A::kChunks + B::kChunks;
  constexpr int kSteps = COPY_STEPS < BK ? COPY_STEPS : BK - 1;

  extern __shared__ float4 shared_vectors[];
  float* const shared = reinterpret_cast<float*>(shared_vectors);
  const u32 base = wt::shared_address(shared);
  const Thread thread(threadIdx.x);
  const float* const read_a = shared + thread.row;
  const float* const read_b = shared + kStageA + thread.column;

  const int tile_slices = (k - 1) / BK + 1;
  const Shares shares(((m - 1) / BM + 1) * ((n - 1) / BN + 1) * (PARTED ? batch : 1), tile_slices, gridDim.x);
  Worker<PARTED> worker(shares, tile_slices);
  while (worker.next()) {
    const TilePlace<BM, BN, GROUP> place(worker.tile, m, n);
    A load_a(a + place.product * a_step, place.row, m, k, FIXED_M ? (A_ALONG_K ? k : m) : lda, worker.first * BK);
    B load_b(b + place.product * b_step, place.column, n, k, FIXED_M ? (B_ALONG_K ? k : n) : ldb, worker.first * BK);
    const auto fetch = [&](int i, u32 stage) {
      if (i < A::kChunks)
        load_a.fetch(i, stage);
      else
        load_b.fetch(i - A::kChunks, stage + kStageA * 4);
    };
    float sums[TM][TN] = {};
    float of_a[2][TM], of_b[2][TN];
    const auto read = [&](int buffer, int offset, int step) {
      read_operand<TM, LANES_M>(of_a[buffer], read_a + offset + step * A::kPitch);
      read_operand<TN, Thread::kLanesN>(of_b[buffer], read_b + offset + step * B::kPitch);
    };

#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
      if (s < worker.slices) {
#pragma unroll
        for (int i = 0; i < kChunks; ++i) fetch(i, base + s * kStage * 4);
        load_a.advance();
        load_b.advance();
      }
      wt::cp_async_commit();
    }
    wt::cp_async_wait<STAGES - 2>();
    __syncthreads();
    read(0, 0, 0);

    int reading = 0, writing = (STAGES - 1) * kStage;
    for (int slice = 0; slice < worker.slices; ++slice) {
      const bool more = slice + STAGES - 1 < worker.slices;
#pragma unroll
      for (int step = 0; step < BK; ++step) {
        if (step + 1 < BK) {
          read((step + 1) % 2, reading, step + 1);
          // The copies of a later slice; its stage has been free since the last barrier. Before cp.async that follows reads of
          // shared memory the assembler puts idle instructions, so one batch needs fewer of them, at the price of a burst.
          if (more) {
#pragma unroll
            for (int i = step * kChunks / kSteps; i < min(kChunks, (step + 1) * kChunks / kSteps); ++i)
              fetch(i, base + writing * 4);
          }
          if (step + 2 == BK) wt::cp_async_commit();
        } else {
          // Every warp holds its last operands of this slice: on to the next stage.
          wt::cp_async_wait<STAGES - 2>();
          __syncthreads();
          load_a.advance();
          load_b.advance();
          writing = reading;
          reading = reading == (STAGES - 1) * kStage ? 0 : reading + kStage;
          read(0, reading, 0);
        }
        add_products<TM, TN, BY_ROWS>(sums, of_a[step % 2], of_b[step % 2]);
      }
    }

    const bool whole = !PARTED || worker.slices == tile_slices;
    const Epilogue<EPILOGUE, float> epilogue{bias, residual + i64(place.product) * m * n, row_scale, column_scale, alpha, beta, n};
    float4* const part = PARTED ? parts + slot(blockIdx.x, worker.first == 0) * (BM * BN / 4) + threadIdx.x : nullptr;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
      for (int j = 0; j < TN; j += 4) {
        const float4 four = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
        if (whole)
          store_four<WIDTH_C>(c, place, thread.row + Thread::down(i), thread.column + Thread::right(j), m, n, four, epilogue);
        else
          part[(i * TN + j) / 4 * Thread::kThreads] = four;
      }
    }
    if constexpr (PARTED) __syncthreads(); // no stage is read any more
  }
}

// The second launch where PARTED.
template <int BM, int BN, int BK, int TM, int TN, int LANES_M, int GROUP, bool EVENLY, int WIDTH_C, int EPILOGUE>
__global__ void __launch_bounds__(128)
    gemm_simt_sum(const float4* __restrict__ parts, float* __restrict__ c, const float* bias, const float* residual,
                  const float* row_scale, const float* column_scale, float alpha, float beta, int m, int n, int k, int batch,
                  int workers) {
  const Epilogue<EPILOGUE, float> epilogue{bias, residual, row_scale, column_scale, alpha, beta, n};
  sum_parts<ThreadTile<BM, BN, TM, TN, LANES_M>, BM, BN, BK, GROUP, EVENLY, WIDTH_C>(parts, c, epilogue, m, n, k, batch, workers);
}
