// C = A * B in fp32 on the FMA pipe, in all four layouts. cp.async brings slices of BK along k into a ring of STAGES,
// over COPY_STEPS steps of an earlier one; a thread holds TM x TN sums and reads the operands of the next step while it
// adds.
#include "cluster_sum.cuh"
#include "gate_parts.cuh"
#include "move_across.cuh"
#include "operands.cuh"
#include "place.cuh"
#include "sum_parts.cuh"

namespace {

// Lane bits 0 and 1 go to different operands: 16-byte reads of shared memory then pair neighbouring lanes on one
// address and take two passes instead of four.
template <int BM, int BN, int TM, int TN, int LANES_M> struct ThreadTile : TileOfThreads<BM, BN, TM, TN, LANES_M> {
  __device__ __forceinline__ explicit ThreadTile(int thread)
      : TileOfThreads<BM, BN, TM, TN, LANES_M>(thread / 32,
                                               (thread >> 1 & 1) + 2 * ((thread % 32 >> 2) % (LANES_M / 2)),
                                               (thread & 1) + 2 * ((thread % 32 >> 2) / (LANES_M / 2))) {}
};

// Back and forth, so that consecutive products share an operand, which the register reuse cache then serves.
// The products of step `at_a` of A's values and `at_b` of B's.
template <int TM, int TN, bool BY_ROWS, int DEEP_A, int DEEP_B>
__device__ __forceinline__ void add_products(float (&sums)[TM][TN], const float (&a)[TM][DEEP_A],
                                             const float (&b)[TN][DEEP_B], int at_a, int at_b) {
#pragma unroll
  for (int outer = 0; outer < (BY_ROWS ? TM : TN); ++outer) {
#pragma unroll
    for (int inner = 0; inner < (BY_ROWS ? TN : TM); ++inner) {
      const int turned = outer % 2 ? (BY_ROWS ? TN : TM) - 1 - inner : inner;
      const int i = BY_ROWS ? outer : turned, j = BY_ROWS ? turned : outer;
      sums[i][j] = fmaf(a[i][at_a], b[j][at_b], sums[i][j]);
    }
  }
}

} // namespace

// FITS_M, FITS_N: C has the rows and columns of a tile. FULL_K: BK divides k. WIDTH_A, WIDTH_B, WIDTH_C: elements of an
// access to memory, as rows allow it. PARTED: blocks take whole tiles and then equal shares of the rest; `parts` holds
// what is no whole tile. CLUSTER: above 1, the blocks that have parts of a tile are a cluster, and add them. A_MOVED,
// B_MOVED: a_across and b_across are copies by move_across, and take the place of a and b. HELD: what runs along k
// passes through registers. STAGED: it is copied to shared memory as it is, and transposed from there by the thread
// that copied it. FIXED_M, FIXED_N, FIXED_K: m, n and k where they are compiled in, else 0; then rows have no gaps.
// C_GAPS: those of C have. Of a gate the sums of this launch go to `parts`, row-major, and gemm_gate (gate_parts.cuh)
// makes C of them.
template <int BM, int BN, int BK, int TM, int TN, int LANES_M, int STAGES, int COPY_STEPS, bool BY_ROWS, int GROUP,
          bool PARTED, int CLUSTER, bool A_ALONG_K, bool B_ALONG_K, bool HELD, bool STAGED, int WIDTH_A, int WIDTH_B,
          int WIDTH_C, bool FITS_M, bool FITS_N, bool FULL_K, int FIXED_M, int FIXED_N, int FIXED_K, bool A_MOVED,
          bool B_MOVED, bool C_GAPS, int BLOCKS_PER_SM, int EPILOGUE>
__global__ void __launch_bounds__(BM* BN / (TM * TN), BLOCKS_PER_SM)
    gemm_simt(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ a_across,
              const float* __restrict__ b_across, float* __restrict__ c, float4* __restrict__ parts, const float* bias,
              const float* residual, const float* row_scale, const float* column_scale, float alpha, float beta, int m_,
              int n_, int k_, int batch, int lda_, int ldb_, i64 a_step, i64 b_step, int ldc) {
  static_assert(!((A_MOVED && A_ALONG_K) || (B_MOVED && B_ALONG_K) || (PARTED && (A_MOVED || B_MOVED))));
  const int m = FIXED_M ? FIXED_M : m_, n = FIXED_N ? FIXED_N : n_, k = FIXED_K ? FIXED_K : k_;
  using Thread = ThreadTile<BM, BN, TM, TN, LANES_M>;
  constexpr int kWarps = Thread::kThreads / 32;
  using A = typename OperandOf<A_ALONG_K, BM, BK, kWarps, FITS_M, FULL_K, WIDTH_A, HELD, STAGED>::type;
  using B = typename OperandOf<B_ALONG_K, BN, BK, kWarps, FITS_N, FULL_K, WIDTH_B, HELD, STAGED>::type;
  constexpr int kStageA = BK * A::kPitch, kStage = kStageA + BK * B::kPitch; // floats
  constexpr int kChunks = A::kChunks + B::kChunks;
  constexpr int kSteps = COPY_STEPS < BK ? COPY_STEPS : BK - 1;
  // What was loaded to registers is stored in the second half of a slice, what is staged in the first.
  constexpr int kFirstPut = STAGED ? 0 : BK / 2, kPutSteps = STAGED ? BK / 2 : BK - 1 - kFirstPut,
                kPutEnd = kFirstPut + kPutSteps;
  constexpr int kSlot = A::kStaged + B::kStaged; // floats of a slice as it is; STAGES - 1 follow the stages
  constexpr int kSlots = STAGES * kStage;
  static_assert(!STAGED || (kSlot > 0 && STAGES > 2));

  const int m_end = A_MOVED ? padded(m) : m, n_end = B_MOVED ? padded(n) : n;
  const int lda = A_MOVED ? m_end : FIXED_M ? (A_ALONG_K ? k : m) : lda_;
  const int ldb = B_MOVED ? n_end : FIXED_N ? (B_ALONG_K ? k : n) : ldb_;
  const float *const from_a = A_MOVED ? a_across : a, *const from_b = B_MOVED ? b_across : b;
  const i64 next_a = A_MOVED && a_step != 0 ? i64(k) * lda : a_step,
            next_b = B_MOVED && b_step != 0 ? i64(k) * ldb : b_step;
  if constexpr (A_MOVED || B_MOVED) wt::wait_for_predecessor();

  extern __shared__ float4 shared_vectors[];
  float* const shared = reinterpret_cast<float*>(shared_vectors);
  const u32 base = wt::shared_address(shared);
  const Thread thread(threadIdx.x);
  const typename A::Reader reader_a(shared, thread.row);
  const typename B::Reader reader_b(shared + kStageA, thread.column);

  const int tile_slices = (k - 1) / BK + 1;
  const Shares shares(((m - 1) / BM + 1) * ((n - 1) / BN + 1) * (PARTED ? batch : 1), tile_slices, gridDim.x);
  Worker<PARTED> worker(shares, tile_slices);
  if constexpr (PARTED && CLUSTER == 1) wt::launch_dependents();
  while (worker.next()) {
    const TilePlace<BM, BN, GROUP> place(worker.tile, m, n, m_end, n_end);
    A load_a(from_a + place.product * next_a, place.row, m_end, k, lda, worker.first * BK);
    B load_b(from_b + place.product * next_b, place.column, n_end, k, ldb, worker.first * BK);
    // Stages and slots in floats.
    const auto fetch = [&](int i, int stage, int slot) {
      if (i < A::kChunks)
        load_a.fetch(i, base + (A::kStaged > 0 ? slot : stage) * 4);
      else
        load_b.fetch(i - A::kChunks, base + (B::kStaged > 0 ? slot + A::kStaged : stage + kStageA) * 4);
    };
    const auto put = [&](int i, int stage, int slot) {
      if (i < A::kChunks)
        load_a.put(i, shared + stage, shared + slot);
      else
        load_b.put(i - A::kChunks, shared + stage + kStageA, shared + slot + A::kStaged);
    };
    const auto is_staged = [](int i) { return (i < A::kChunks ? A::kStaged : B::kStaged) > 0; };
    float sums[TM][TN] = {};
    float of_a[2][TM][A::kDeep], of_b[2][TN][B::kDeep]; // two turns: that of this step, and the next
    const auto read = [&](int stage, int step) {
      if (step % A::kDeep == 0) reader_a.template read<TM, LANES_M>(of_a[step / A::kDeep % 2], stage, step);
      if (step % B::kDeep == 0) reader_b.template read<TN, Thread::kLanesN>(of_b[step / B::kDeep % 2], stage, step);
    };

#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
      if (s < worker.slices) {
#pragma unroll
        for (int i = 0; i < kChunks; ++i) fetch(i, s * kStage, kSlots + s * kSlot);
#pragma unroll
        for (int i = 0; i < kChunks; ++i)
          if (!is_staged(i)) put(i, s * kStage, 0);
        load_a.advance();
        load_b.advance();
      }
      wt::cp_async_commit();
    }
    if constexpr (STAGED) {
      wt::cp_async_wait<0>();
#pragma unroll
      for (int s = 0; s < STAGES - 1; ++s) {
#pragma unroll
        for (int i = 0; i < kChunks; ++i)
          if (is_staged(i) && s < worker.slices) put(i, s * kStage, kSlots + s * kSlot);
#pragma unroll
        for (int i = 0; i < kChunks; ++i)
          if (is_staged(i) && s + STAGES - 1 < worker.slices) fetch(i, 0, kSlots + s * kSlot);
        if constexpr (A::kStaged > 0) load_a.advance();
        if constexpr (B::kStaged > 0) load_b.advance();
        wt::cp_async_commit();
      }
    }
    wt::cp_async_wait<STAGES - 2>();
    __syncthreads();
    read(0, 0);

    int reading = 0, writing = (STAGES - 1) * kStage, staged = kSlots;
    for (int slice = 0; slice < worker.slices; ++slice) {
      const bool more = slice + STAGES - 1 < worker.slices;
#pragma unroll
      for (int step = 0; step < BK; ++step) {
        if (step + 1 < BK) {
          read(reading, step + 1);
          // The copies of a later slice; its stage has been free since the last barrier. Before cp.async that follows
          // reads of shared memory the assembler puts idle instructions, so one batch needs fewer of them, at the price
          // of a burst.
          if (more) {
#pragma unroll
            for (int i = step * kChunks / kSteps; i < min(kChunks, (step + 1) * kChunks / kSteps); ++i)
              if (!is_staged(i)) fetch(i, writing, 0);
            if (step >= kFirstPut && step < kPutEnd) {
#pragma unroll
              for (int i = (step - kFirstPut) * kChunks / kPutSteps; i < (step - kFirstPut + 1) * kChunks / kPutSteps;
                   ++i)
                put(i, writing, staged);
            }
          }
          if (STAGED && step == kPutEnd && slice + 2 * (STAGES - 1) < worker.slices) {
#pragma unroll
            for (int i = 0; i < kChunks; ++i)
              if (is_staged(i)) fetch(i, 0, staged);
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
          if constexpr (STAGED) staged = staged == kSlots + (STAGES - 2) * kSlot ? kSlots : staged + kSlot;
          read(reading, 0);
        }
        add_products<TM, TN, BY_ROWS>(sums, of_a[step / A::kDeep % 2], of_b[step / B::kDeep % 2], step % A::kDeep,
                                      step % B::kDeep);
      }
    }

    using E = Epilogue<EPILOGUE, float>;
    const bool whole = !PARTED || worker.slices == tile_slices;
    const int pitch = C_GAPS ? ldc : n;
    const E epilogue{bias, residual + i64(place.product) * m * pitch, row_scale, column_scale, alpha, beta, n, pitch};
    if constexpr (CLUSTER > 1) {
      sum_in_cluster<CLUSTER, Thread::kThreads>(sums, shared, [&](int i, int j, float4 four) {
        store_four<WIDTH_C>(c, place, thread.row + Thread::down(i), thread.column + Thread::right(j), m, n, four,
                            epilogue);
      });
      return; // one tile
    }
    float4* const part = PARTED ? parts + slot(blockIdx.x, worker.first == 0) * (BM * BN / 4) + threadIdx.x : nullptr;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
      for (int j = 0; j < TN; j += 4) {
        const float4 four = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
        const int down = thread.row + Thread::down(i), right = thread.column + Thread::right(j);
        if constexpr (E::kGated)
          store_four<WIDTH_C>(part_of_worker<PARTED>(parts, shares, tile_slices, i64(batch) * m * n), place, down,
                              right, m, n, four, unfinished(n));
        else if (whole)
          store_four<WIDTH_C>(c, place, down, right, m, n, four, epilogue);
        else
          part[(i * TN + j) / 4 * Thread::kThreads] = four;
      }
    }
    if constexpr (PARTED) __syncthreads(); // no stage is read any more
  }
}

// The second launch where PARTED.
template <int BM, int BN, int BK, int TM, int TN, int LANES_M, int GROUP, bool EVENLY, int WIDTH_C, bool C_GAPS,
          int EPILOGUE>
__global__ void __launch_bounds__(128)
    gemm_simt_sum(const float4* __restrict__ parts, float* __restrict__ c, const float* bias, const float* residual,
                  const float* row_scale, const float* column_scale, float alpha, float beta, int m, int n, int k,
                  int batch, int workers, int ldc) {
  const Epilogue<EPILOGUE, float> epilogue{bias, residual, row_scale, column_scale, alpha, beta, n, C_GAPS ? ldc : n};
  sum_parts<ThreadTile<BM, BN, TM, TN, LANES_M>, BM, BN, BK, GROUP, EVENLY, WIDTH_C>(parts, c, epilogue, m, n, k, batch,
                                                                                     workers);
}
