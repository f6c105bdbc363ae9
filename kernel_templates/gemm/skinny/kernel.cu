// C = A * B where m or n is at most 16: bound by the memory that the long side's operand comes from. K_WARPS warps of a block and
// SPLIT_K blocks share k; sums of warps meet in shared memory, those of blocks in a second launch, both in a fixed order.
#include "gate_parts.cuh"
#include "lane_sums.cuh"
#include "slices.cuh"
#include "streams.cuh"
#include "common/async.cuh"

namespace {

// Everything that leaves passes here: sum (row, column) of a product, all of whose k it has.
template <typename Out, class E>
__device__ __forceinline__ void store_sum(Out* __restrict__ c, const E& epilogue, int row, int column, float sum) {
  c[i64(row) * epilogue.pitch + column] = wt::from_float<Out>(epilogue.all(sum, row, column));
}

} // namespace

// ALONG_K: the long side's operand has k in its rows. A warp takes ROWS of them, or ROWS vectors of VEC columns for each lane.
// FEW_IS_M: m is the short side, so that B is what is streamed. SLICE: k of the short side's operand that shared memory has at a time; 0: the
// caches have it. ALIGNED: UNROLL divides k. C_GAPS: rows of C have gaps. Of a gate the sums of this launch go to `parts`, and gemm_gate
// (gate_parts.cuh) makes C of them.
template <typename T, typename Out, int FEW, bool FEW_IS_M, bool ALONG_K, bool FEW_ALONG_K, int VEC, int ROWS, int UNROLL, int WARPS, int K_WARPS,
          int SPLIT_K, int SLICE, bool ALIGNED, int HINT, bool C_GAPS, int EPILOGUE>
__global__ void __launch_bounds__(WARPS * 32, (FEW * ROWS * (ALONG_K ? 1 : VEC) > 64 ? 8 : 16) / WARPS)
    gemm_skinny(const T* __restrict__ a, const T* __restrict__ b, Out* __restrict__ c, float* __restrict__ parts, const T* bias,
                const T* residual, const float* row_scale, const float* column_scale, float alpha, float beta, int m, int n, int k,
                int batch, int lda, int ldb, i64 a_step, i64 b_step, int ldc) {
  constexpr int kGroups = WARPS / K_WARPS;                  // of warps, with rows or columns of their own
  constexpr int kOfGroup = ALONG_K ? ROWS : ROWS * 32 * VEC; // rows or columns
  constexpr int kOfBlock = kGroups * kOfGroup;
  constexpr int kUnit = ALONG_K ? VEC : SLICE > 0 ? 4 : ALIGNED ? UNROLL : 1; // of k: what parts are multiples of
  static_assert(WARPS % K_WARPS == 0 && (SLICE == 0 || (wt::is_same<T, float> && VEC == 4)));
  // Rows: the sums of all warps. Columns: those of kTogether of the few at a time, where warps share k.
  constexpr int kTogether = SLICE > 0 && FEW % 4 == 0 && WARPS * kOfGroup <= 2048 ? 4 : 1;
  __shared__ float shared[ALONG_K ? WARPS * ROWS * FEW : K_WARPS > 1 ? WARPS * kOfGroup * kTogether : 1];
  extern __shared__ float4 slices[];

  if constexpr (SPLIT_K > 1) wt::launch_dependents();
  const int many = FEW_IS_M ? n : m;
  const int across = (many - 1) / kOfBlock + 1;
  const int part = blockIdx.x / across % SPLIT_K, product = blockIdx.x / across / SPLIT_K;
  const int group = threadIdx.x / 32 / K_WARPS, own = threadIdx.x / 32 % K_WARPS, lane = threadIdx.x % 32;
  const int first = blockIdx.x % across * kOfBlock;
  const T* const long_side = FEW_IS_M ? b + product * b_step : a + product * a_step;
  const T* const short_side = FEW_IS_M ? a + product * a_step : b + product * b_step;
  const int pitch = FEW_IS_M ? ldb : lda;
  const i64 units = (k - 1) / kUnit + 1;
  const i64 begin = units * part / SPLIT_K, end = units * (part + 1) / SPLIT_K;
  const i64 count = i64(batch) * FEW * many;
  using E = Epilogue<EPILOGUE, T>;
  const int pitch_c = C_GAPS ? ldc : n;
  const i64 of_product = i64(product) * m * n, of_c = i64(product) * m * pitch_c;
  const E epilogue{bias, residual + of_c, row_scale, column_scale, alpha, beta, n, pitch_c};
  const auto store = [&](int in_block, int f, float sum) {
    const int place = first + in_block;
    if (place >= many) return;
    const int row = FEW_IS_M ? f : place, column = FEW_IS_M ? place : f;
    if constexpr (SPLIT_K > 1 || E::kGated)
      parts[part * count + of_product + i64(row) * n + column] = sum;
    else
      store_sum(c + of_c, epilogue, row, column, sum);
  };

  if constexpr (ALONG_K) {
    const T* rows[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) rows[r] = long_side + i64(min(first + group * ROWS + r, many - 1)) * pitch;
    float sums[ROWS][FEW] = {};
    if constexpr (SLICE > 0) {
      add_slices<FEW, ROWS, UNROLL, SLICE, WARPS, K_WARPS, true, FEW_ALONG_K, HINT>(
          sums, rows, pitch, short_side, reinterpret_cast<float*>(slices), own, int(begin * kUnit), int(end * kUnit), k);
    } else {
      constexpr int kStep = K_WARPS * UNROLL * 32;
      add_rows<T, FEW, ROWS, UNROLL, VEC, kStep, FEW_ALONG_K, HINT>(sums, rows, short_side, begin + own * UNROLL * 32, end, k);
    }
    constexpr int kSums = ROWS * FEW, kPadded = wt::is_pow2(kSums) ? kSums : 2 << wt::log2_floor(kSums);
    float padded[kPadded] = {};
#pragma unroll
    for (int i = 0; i < kSums; ++i) padded[i] = sums[i / FEW][i % FEW];
    int number = 0; // of a sum of this lane
    sum_lanes(padded, number);
#pragma unroll
    for (int i = 0; i < max(1, kPadded / 32); ++i)
      if (number + i < kSums) shared[(own * kOfBlock + group * ROWS) * FEW + number + i] = padded[i];
    __syncthreads();
    for (int i = threadIdx.x; i < kOfBlock * FEW; i += WARPS * 32) {
      const int row = FEW_IS_M ? i % kOfBlock : i / FEW, f = FEW_IS_M ? i / kOfBlock : i % FEW; // neighbours in C
      float sum = shared[row * FEW + f];
#pragma unroll
      for (int w = 1; w < K_WARPS; ++w) sum += shared[(w * kOfBlock + row) * FEW + f];
      store(row, f, sum);
    }
  } else {
    int columns[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) columns[r] = min(first + group * kOfGroup + (r * 32 + lane) * VEC, many - VEC);
    float sums[ROWS * VEC][FEW] = {};
    if constexpr (SLICE > 0) {
      const T* bases[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) bases[r] = long_side + columns[r];
      add_slices<FEW, ROWS * VEC, UNROLL / 4, SLICE, WARPS, K_WARPS, false, FEW_ALONG_K, HINT>(
          sums, bases, pitch, short_side, reinterpret_cast<float*>(slices), own, int(begin * kUnit), int(end * kUnit), k);
    } else {
      constexpr int kStep = K_WARPS * UNROLL;
      add_columns<T, FEW, ROWS, UNROLL, VEC, kStep, FEW_ALONG_K, ALIGNED, HINT>(sums, long_side, columns, pitch, short_side,
                                                                               begin * kUnit + own * UNROLL, end * kUnit, k);
    }
    constexpr int kOfWarps = K_WARPS * kOfBlock; // columns
#pragma unroll
    for (int f = 0; f < FEW; ++f) {
      if (K_WARPS > 1 && f > 0 && f % kTogether == 0) __syncthreads();
#pragma unroll
      for (int i = 0; i < ROWS * VEC; ++i) {
        const int column = group * kOfGroup + (i / VEC * 32 + lane) * VEC + i % VEC;
        if constexpr (K_WARPS > 1)
          shared[f % kTogether * kOfWarps + own * kOfBlock + column] = sums[i][f];
        else
          store(column, f, sums[i][f]);
      }
      if constexpr (K_WARPS > 1) {
        if (f % kTogether < kTogether - 1) continue;
        __syncthreads();
        for (int i = threadIdx.x; i < kTogether * kOfBlock; i += WARPS * 32) {
          const float* const of_warps = shared + i / kOfBlock * kOfWarps + i % kOfBlock;
          float sum = of_warps[0];
#pragma unroll
          for (int w = 1; w < K_WARPS; ++w) sum += of_warps[w * kOfBlock];
          store(i % kOfBlock, f - (kTogether - 1) + i / kOfBlock, sum);
        }
      }
    }
  }
}

// The sum over the parts of k, in their order.
template <typename T, typename Out, int SPLIT_K, bool C_GAPS, int EPILOGUE>
__global__ void __launch_bounds__(128)
    gemm_skinny_sum(const float* __restrict__ parts, Out* __restrict__ c, const T* bias, const T* residual, const float* row_scale,
                    const float* column_scale, float alpha, float beta, int m, int n, i64 count, int ldc) {
  wt::wait_for_predecessor();
  const i64 i = i64(blockIdx.x) * 128 + threadIdx.x;
  if (i >= count) return;
  float sum = parts[i];
#pragma unroll 16
  for (int part = 1; part < SPLIT_K; ++part) sum += parts[part * count + i];
  const int pitch_c = C_GAPS ? ldc : n;
  const i64 line = i / n, of_c = line / m * m * pitch_c;
  const Epilogue<EPILOGUE, T> epilogue{bias, residual + of_c, row_scale, column_scale, alpha, beta, n, pitch_c};
  store_sum(c + of_c, epilogue, int(line % m), int(i % n), sum);
}
