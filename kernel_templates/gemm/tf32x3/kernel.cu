// C = A * B in fp32 on tensor cores: three products of tf32 for each of fp32, in all four layouts. cp.async brings slices of BK along k
// into a ring of STAGES; a warp holds WM x WN sums and reads the fragments of the next 16 of k while it multiplies. mma.sync, not wgmma:
// its operands come from registers, where they are split.
#include "gate_parts.cuh"
#include "operands.cuh"
#include "place.cuh"
#include "products.cuh"
#include "sum_parts.cuh"

namespace {

// The sums of a thread are those of its fragments; lanes are assigned as in Lane (operands.cuh).
template <int BM, int BN, int WM, int WN> struct FragmentTile : TileOfThreads<BM, BN, WM / 8, WN / 4, 8> {
  static_assert(WM % 32 == 0 && WN % 32 == 0);
  __device__ __forceinline__ explicit FragmentTile(int thread)
      : TileOfThreads<BM, BN, WM / 8, WN / 4, 8>(thread / 32, thread % 32 / 8 + thread / 4 % 2 * 4, thread % 4) {}
};

} // namespace

// FITS_M, FITS_N: C has the rows and columns of a tile. FULL_K: BK divides k. WIDTH_A, WIDTH_B, WIDTH_C: elements of an access, as the
// alignment of rows allows. PARTED: blocks take whole tiles and then equal shares of the rest; `parts` holds what is no whole tile.
// C_GAPS: rows of C have gaps. Of a gate the sums of this launch go to `parts`, row-major, and gemm_gate (gate_parts.cuh) makes C of them.
template <int BM, int BN, int WM, int WN, int BK, int STAGES, int GROUP, bool PARTED, bool A_ALONG_K, bool B_ALONG_K, int WIDTH_A,
          int WIDTH_B, int WIDTH_C, bool FITS_M, bool FITS_N, bool FULL_K, bool C_GAPS, int BLOCKS_PER_SM, int EPILOGUE>
__global__ void __launch_bounds__(BM* BN / (WM * WN) * 32, BLOCKS_PER_SM)
    gemm_tf32x3(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, float4* __restrict__ parts,
                const float* bias, const float* residual, const float* row_scale, const float* column_scale, float alpha, float beta,
                int m, int n, int k, int batch, int lda, int ldb, i64 a_step, i64 b_step, int ldc) {
  using Thread = FragmentTile<BM, BN, WM, WN>;
  constexpr int kWarps = Thread::kThreads / 32;
  // A step is 32 x 32 sums over 16 of k: a block of the long side of the warp's tile times the other side.
  constexpr bool kLongM = WM > 32;
  constexpr int kLong = (kLongM ? WM : WN) / 32, kSteps = BK / 16 * kLong;
  using A = typename OperandOf<A_ALONG_K, BM, BK, kWarps, FITS_M, FULL_K, WIDTH_A>::type;
  using B = typename OperandOf<B_ALONG_K, BN, BK, kWarps, FITS_N, FULL_K, WIDTH_B>::type;
  constexpr int kStageA = BK * BM, kStage = kStageA + BK * BN; // floats
  static_assert(BK % 32 == 0, "fragments alternate between two buffers");
  static_assert(WM == 32 || WN == 32);

  extern __shared__ float4 shared_vectors[];
  const float* const shared = reinterpret_cast<float*>(shared_vectors);
  const u32 base = wt::shared_address(shared);
  const Thread thread(threadIdx.x);
  const Lane lane;
  const int warp_m = threadIdx.x / 32 / Thread::kWarpsN * WM, warp_n = threadIdx.x / 32 % Thread::kWarpsN * WN;

  const int tile_slices = (k - 1) / BK + 1;
  const Shares shares(((m - 1) / BM + 1) * ((n - 1) / BN + 1) * (PARTED ? batch : 1), tile_slices, gridDim.x);
  Worker<PARTED> worker(shares, tile_slices);
  if constexpr (PARTED) wt::launch_dependents();
  while (worker.next()) {
    const TilePlace<BM, BN, GROUP> place(worker.tile, m, n);
    A load_a(a + place.product * a_step, place.row, m, k, lda, worker.first * BK);
    B load_b(b + place.product * b_step, place.column, n, k, ldb, worker.first * BK);
    const auto fetch = [&](int stage) {
#pragma unroll
      for (int i = 0; i < A::kChunks; ++i) load_a.fetch(i, base + stage * 4);
#pragma unroll
      for (int i = 0; i < B::kChunks; ++i) load_b.fetch(i, base + (stage + kStageA) * 4);
      load_a.advance();
      load_b.advance();
    };
    float sums[Thread::TM][Thread::TN] = {};
    float of_long[2][4][4], of_short[2][4][4];
    Split split_long[4][4], split_short[4][4];
    const auto read = [&](int stage, int step) {
      const int slab = step / kLong, block = step % kLong * 32;
      const float *const from_a = shared + stage, *const from_b = from_a + kStageA;
      if (kLongM || block == 0) A::read((kLongM ? of_long[step % 2] : of_short[slab % 2]), from_a, warp_m + kLongM * block, slab, lane);
      if (!kLongM || block == 0) B::read((kLongM ? of_short[slab % 2] : of_long[step % 2]), from_b, warp_n + !kLongM * block, slab, lane);
    };

#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
      if (s < worker.slices) fetch(s * kStage);
      wt::cp_async_commit();
    }
    wt::cp_async_wait<STAGES - 2>();
    __syncthreads();
    read(0, 0);

    int reading = 0, writing = (STAGES - 1) * kStage;
    for (int slice = 0; slice < worker.slices; ++slice) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        if (step == 0) { // a later slice, into the stage that has been free since the last barrier
          if (slice + STAGES - 1 < worker.slices) fetch(writing);
          wt::cp_async_commit();
        }
        if (step + 1 < kSteps) {
          read(reading, step + 1);
        } else { // every warp holds its last fragments of this slice: on to the next stage
          wt::cp_async_wait<STAGES - 2>();
          __syncthreads();
          writing = reading;
          reading = reading == (STAGES - 1) * kStage ? 0 : reading + kStage;
          read(reading, 0);
        }
        split(split_long, of_long[step % 2]);
        if (step % kLong == 0) split(split_short, of_short[step / kLong % 2]);
        if constexpr (kLongM)
          add_products(sums, split_long, split_short, step % kLong * 4, 0);
        else
          add_products(sums, split_short, split_long, 0, step % kLong * 8);
      }
    }

    using E = Epilogue<EPILOGUE, float>;
    const bool whole = !PARTED || worker.slices == tile_slices;
    const int pitch = C_GAPS ? ldc : n;
    const E epilogue{bias, residual + i64(place.product) * m * pitch, row_scale, column_scale, alpha, beta, n, pitch};
    float4* const part = PARTED ? parts + slot(blockIdx.x, worker.first == 0) * (BM * BN / 4) + threadIdx.x : nullptr;
#pragma unroll
    for (int i = 0; i < Thread::TM; ++i) {
#pragma unroll
      for (int j = 0; j < Thread::TN; j += 4) {
        const float4 four = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
        const int down = thread.row + Thread::down(i), right = thread.column + Thread::right(j);
        if constexpr (E::kGated)
          store_four<WIDTH_C>(part_of_worker<PARTED>(parts, shares, tile_slices, i64(batch) * m * n), place, down, right, m, n, four,
                              unfinished(n));
        else if (whole)
          store_four<WIDTH_C>(c, place, down, right, m, n, four, epilogue);
        else
          part[(i * Thread::TN + j) / 4 * Thread::kThreads] = four;
      }
    }
    if constexpr (PARTED) __syncthreads(); // no stage is read any more
  }
}

// The second launch where PARTED.
template <int BM, int BN, int WM, int WN, int BK, int GROUP, bool EVENLY, int WIDTH_C, bool C_GAPS, int EPILOGUE>
__global__ void __launch_bounds__(128)
    gemm_tf32x3_sum(const float4* __restrict__ parts, float* __restrict__ c, const float* bias, const float* residual,
                    const float* row_scale, const float* column_scale, float alpha, float beta, int m, int n, int k, int batch,
                    int workers, int ldc) {
  const Epilogue<EPILOGUE, float> epilogue{bias, residual, row_scale, column_scale, alpha, beta, n, C_GAPS ? ldc : n};
  sum_parts<FragmentTile<BM, BN, WM, WN>, BM, BN, BK, GROUP, EVENLY, WIDTH_C>(parts, c, epilogue, m, n, k, batch, workers);
}
