// A tile of C. A block computes BM x BN, a warp a (LANES_M * TM) x (LANES_N * TN) part of it, a thread TM x TN
// elements. Slices of BK along k pass through STAGES buffers of shared memory; both operands lie there with the row or
// column of C running fastest, so that an outer product reads them as 16-byte vectors. Rows and columns beyond C are
// read from its last row or column and never stored, so a ragged m or n costs the inner loop nothing; beyond k both
// slices are filled with zeros. Buffers are aligned to 16 bytes.
#pragma once

#include "loaders.cuh"

// A thread's T consecutive-by-four elements of a row of shared memory: vectors of 4, `LANES` vectors apart.
template <int T, int LANES> __device__ __forceinline__ void read_fragment(float (&fragment)[T], const float* row) {
#pragma unroll
  for (int i = 0; i < T / 4; ++i) {
    const float4 v = *reinterpret_cast<const float4*>(row + i * LANES * 4);
    fragment[i * 4 + 0] = v.x;
    fragment[i * 4 + 1] = v.y;
    fragment[i * 4 + 2] = v.z;
    fragment[i * 4 + 3] = v.w;
  }
}

// Back and forth over the columns: consecutive products share an operand, which the register reuse cache then serves.
template <int TM, int TN>
__device__ __forceinline__ void outer_product(float (&sums)[TM][TN], const float (&a)[TM], const float (&b)[TN]) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int column = i % 2 ? TN - 1 - j : j;
      sums[i][column] = fmaf(a[i], b[column], sums[i][column]);
    }
  }
}

// What an implementation fixes of a tile. FULL_M, FULL_N: the tile divides m or n. FULL_K: BK divides k. VEC_K, VEC_N:
// 4 divides k or n, so that rows of k or n elements allow 16-byte accesses. FIXED_N, FIXED_K: n and k where they are
// compiled in, else 0. With SPLIT_K > 1 each slice of the grid's z has its own m x n sums in `out`.
template <int BM, int BN, int BK, int TM, int TN, int LANES_M, int STAGES, int STAGED, int COPY_STEPS, int GROUP_M,
          int SPLIT_K, int B_IS_NT, int FULL_M, int FULL_N, int FULL_K, int VEC_K, int VEC_N, int FIXED_N, int FIXED_K>
__device__ __forceinline__ void compute_tile(const float* __restrict__ a, const float* __restrict__ b,
                                             float* __restrict__ out, int m, int n_, int k_) {
  const int n = FIXED_N ? FIXED_N : n_, k = FIXED_K ? FIXED_K : k_;
  constexpr int LANES_N = 32 / LANES_M;
  constexpr int kThreads = BM * BN / (TM * TN);
  constexpr int kWarps = kThreads / 32;
  constexpr int kWarpsN = BN / (LANES_N * TN);
  static_assert(BM % (LANES_M * TM) == 0 && BN % (LANES_N * TN) == 0, "whole warp tiles fill the block tile");
  static_assert(TM % 4 == 0 && TN % 4 == 0 && BK % 8 == 0, "fragments are read as 16-byte vectors");
  static_assert(kThreads >= 128 && kThreads <= 256, "4 or 8 warps");
  static_assert(BM <= 2 * BN, "tall blocks read more of A, which has to be transposed");
  static_assert(TM <= 2 * TN && TN <= 2 * TM && TM * TN <= 128, "nearly square thread tiles that fit the registers");
  static_assert(LANES_M * TM <= 2 * LANES_N * TN && LANES_N * TN <= 2 * LANES_M * TM, "nearly square warp tiles");
  static_assert(COPY_STEPS == 1 || !STAGED, "a staged slice has steps of its own");
  static_assert(BK * (STAGES - 1) <= 32 && (STAGED ? STAGES <= 2 && BK == 8 : STAGES >= 2),
                "stages the copies can fill");

  using LoaderA = TransposingLoader<BM, BK, kWarps, STAGED, FULL_M, FULL_K, VEC_K, FIXED_K>;
  using LoaderB = typename LoaderOf<B_IS_NT, BN, BK, kWarps, STAGED, FULL_N, FULL_K, (B_IS_NT ? VEC_K : VEC_N),
                                    (B_IS_NT ? FIXED_K : FIXED_N)>::type;
  constexpr int kStageA = LoaderA::kStageFloats;
  constexpr int kStage = kStageA + LoaderB::kStageFloats;
  constexpr int kChunks = LoaderA::kChunks + LoaderB::kChunks;
  extern __shared__ float4 shared_vectors[];
  float* const shared = reinterpret_cast<float*>(shared_vectors);
  const unsigned shared_base = shared_window(shared);

  // Blocks that run together take GROUP_M rows of tiles, column by column, so that they share both operands in L2.
  const int tiles_m = divide_up(m, BM), tiles_n = divide_up(n, BN);
  const int group = static_cast<int>(blockIdx.x) / (GROUP_M * tiles_n);
  const int in_group = static_cast<int>(blockIdx.x) - group * GROUP_M * tiles_n;
  const int group_rows = min(GROUP_M, tiles_m - group * GROUP_M);
  const int tile_m = (group * GROUP_M + in_group % group_rows) * BM;
  const int tile_n = in_group / group_rows * BN;

  const int all_slices = divide_up(k, BK);
  const int slices_each = divide_up(all_slices, SPLIT_K);
  const int first_slice = SPLIT_K == 1 ? 0 : static_cast<int>(blockIdx.z) * slices_each;
  const int slices = SPLIT_K == 1 ? all_slices : max(0, min(slices_each, all_slices - first_slice));

  LoaderA load_a(a, tile_m, m, k, first_slice * BK, k);
  LoaderB load_b(b, tile_n, n, B_IS_NT ? k : n, first_slice * BK, k);

  // Lane bits 0 and 1 go to different operands: 16-byte reads of shared memory then pair neighbouring lanes on one
  // address and take two passes instead of four.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  constexpr int kHalfM = LANES_M / 2;
  const int lane_m = (lane >> 1 & 1) + 2 * ((lane >> 2) % kHalfM);
  const int lane_n = (lane & 1) + 2 * ((lane >> 2) / kHalfM);
  const int row = warp / kWarpsN * (LANES_M * TM) + lane_m * 4;
  const int column = warp % kWarpsN * (LANES_N * TN) + lane_n * 4;
  const float* const read_a = shared + row;
  const float* const read_b = shared + kStageA + column;

  float sums[TM][TN] = {};
  float fragment_a[2][TM], fragment_b[2][TN];

  auto fetch_chunk = [&](int i, unsigned stage) {
    if (i < LoaderA::kChunks)
      load_a.fetch(i, stage);
    else
      load_b.fetch(i - LoaderA::kChunks, stage + kStageA * 4);
  };
  auto fetch_slice = [&](unsigned stage) {
#pragma unroll
    for (int i = 0; i < kChunks; ++i) fetch_chunk(i, stage);
  };
  auto store_chunk = [&](int i, float* stage) {
    if (i < LoaderA::kChunks)
      load_a.store(i, stage);
    else
      load_b.store(i - LoaderA::kChunks, stage + kStageA);
  };
  auto store_slice = [&](float* stage) {
#pragma unroll
    for (int i = 0; i < kChunks; ++i) store_chunk(i, stage);
  };
  auto advance = [&] {
    load_a.advance();
    load_b.advance();
  };
  auto read_fragments = [&](int buffer, const float* from_a, const float* from_b, int i) {
    read_fragment<TM, LANES_M>(fragment_a[buffer], from_a + i * LoaderA::kPitch);
    read_fragment<TN, LANES_N>(fragment_b[buffer], from_b + i * LoaderB::kPitch);
  };

  if constexpr (STAGES == 1) {
    if (STAGED && slices > 0) fetch_slice(shared_base);
    for (int slice = 0; slice < slices; ++slice) {
      if (slice > 0) __syncthreads();
      if (!STAGED) fetch_slice(shared_base);
      store_slice(shared);
      wt::cp_async_commit();
      advance();
      wt::cp_async_wait<0>();
      __syncthreads();
      if (STAGED && slice + 1 < slices) fetch_slice(shared_base);
      read_fragments(0, read_a, read_b, 0);
#pragma unroll
      for (int i = 0; i < BK; ++i) {
        if (i + 1 < BK) read_fragments((i + 1) % 2, read_a, read_b, i + 1);
        outer_product(sums, fragment_a[i % 2], fragment_b[i % 2]);
      }
    }
  } else {
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
      if (s < slices) {
        fetch_slice(shared_base + s * kStage * 4);
        store_slice(shared + s * kStage);
        advance();
      }
      wt::cp_async_commit();
    }
    wt::cp_async_wait<STAGES - 2>();
    __syncthreads();
    read_fragments(0, read_a, read_b, 0);

    int read_offset = 0, write_offset = (STAGES - 1) * kStage; // floats
    for (int slice = 0; slice < slices; ++slice) {
      const bool more = slice + STAGES - 1 < slices;
      const float* from_a = read_a + read_offset;
      const float* from_b = read_b + read_offset;
      const unsigned stage = shared_base + write_offset * 4;
#pragma unroll
      for (int i = 0; i < BK; ++i) {
        if (i + 1 < BK) {
          read_fragments((i + 1) % 2, from_a, from_b, i + 1);
          // The copies of a later slice; its stage has been free since the last barrier. A staged slice is loaded over
          // the first half of the steps and stored over the second. Before cp.async that follows reads of shared memory
          // the assembler puts idle instructions, so one batch of copies needs fewer of them, at the price of a burst.
          constexpr int kFetchSteps = STAGED ? BK / 2 : COPY_STEPS < BK ? COPY_STEPS : BK - 1;
          if (more) {
#pragma unroll
            for (int j = i * kChunks / kFetchSteps; j < min(kChunks, (i + 1) * kChunks / kFetchSteps); ++j) {
              fetch_chunk(j, stage);
            }
            if (STAGED && i >= BK / 2) {
              constexpr int kStoreSteps = BK - 1 - BK / 2;
              const int s = i - BK / 2;
#pragma unroll
              for (int j = s * kChunks / kStoreSteps; j < (s + 1) * kChunks / kStoreSteps; ++j) {
                store_chunk(j, shared + write_offset);
              }
            }
          }
          if (i + 2 == BK) wt::cp_async_commit();
        } else {
          // Every warp holds its last fragments of this slice: pass to the next stage.
          wt::cp_async_wait<STAGES - 2>();
          __syncthreads();
          advance();
          write_offset = read_offset;
          read_offset = read_offset == (STAGES - 1) * kStage ? 0 : read_offset + kStage;
          read_fragments(0, read_a + read_offset, read_b + read_offset, 0);
        }
        outer_product(sums, fragment_a[i % 2], fragment_b[i % 2]);
      }
    }
  }

  if constexpr (SPLIT_K > 1) out += static_cast<long long>(blockIdx.z) * m * n;
  out += static_cast<long long>(tile_m + row) * n + tile_n + column;
  const int rows_left = m - tile_m - row, columns_left = n - tile_n - column;
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int r = i / 4 * LANES_M * 4 + i % 4;
    if (!FULL_M && r >= rows_left) continue;
    float* out_row = out + static_cast<long long>(r) * n;
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      const int q = j * LANES_N;
      if constexpr (VEC_N) {
        if (!FULL_N && q >= columns_left) continue;
        *reinterpret_cast<float4*>(out_row + q) = {sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]};
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          if (q + e < columns_left) out_row[q + e] = sums[i][j + e];
        }
      }
    }
  }
}
