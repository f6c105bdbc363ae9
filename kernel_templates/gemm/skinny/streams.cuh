// What a warp adds up of a product one of whose sides is short ("few"): it streams the operand of the long side ("many") and
// reads the other one, which all warps share, through the caches. Sums are in fp32.
#pragma once

#include "common/vec.cuh"

// VEC neighbours as floats.
template <int HINT, typename T, int VEC> __device__ __forceinline__ void load_floats(float (&to)[VEC], const T* from) {
  wt::unpack(wt::load<HINT, wt::Vec<T, VEC>>(from), to);
}

// UNROLL elements of each of the FEW, from k = depth on. ALIGNED: UNROLL divides k and depth.
template <typename T, int FEW, int UNROLL, bool ALONG_K, bool ALIGNED>
__device__ __forceinline__ void load_few(float (&to)[UNROLL][FEW], const T* few, i64 depth, i64 end, i64 k) {
  constexpr int kVec = sizeof(T) * UNROLL <= 16 ? UNROLL : 16 / sizeof(T);
#pragma unroll
  for (int i = 0; i < UNROLL * FEW; i += ALIGNED ? kVec : 1) {
    const int row = ALONG_K ? i / UNROLL : 0;
    const i64 at = ALONG_K ? row * k + depth + i % UNROLL : depth * FEW + i;
    if constexpr (ALIGNED) {
      float vector[kVec];
      load_floats<wt::kDefault>(vector, few + at);
#pragma unroll
      for (int e = 0; e < kVec; ++e) {
        if constexpr (ALONG_K)
          to[(i + e) % UNROLL][row] = vector[e];
        else
          to[(i + e) / FEW][(i + e) % FEW] = vector[e];
      }
    } else {
      const int deep = ALONG_K ? i % UNROLL : i / FEW;
      to[deep][ALONG_K ? row : i % FEW] = depth + deep < end ? wt::to_float(few[at]) : 0.f;
    }
  }
}

// The long side's operand lies along k: ROWS rows of it, each lane every 32nd vector of VEC along k, UNROLL of them in flight.
// A warp takes the vectors from `begin` to `end` in steps of STEP.
template <typename T, int FEW, int ROWS, int UNROLL, int VEC, int STEP, bool FEW_ALONG_K, int HINT>
__device__ __forceinline__ void add_rows(float (&sums)[ROWS][FEW], const T* const (&rows)[ROWS], const T* few, i64 begin, i64 end,
                                         i64 k) {
  const int lane = threadIdx.x % 32;
  for (i64 first = begin; first < end; first += STEP) {
    wt::Vec<T, VEC> held[UNROLL][ROWS];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const i64 vector = first + u * 32 + lane;
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        held[u][r] = {};
        if (vector < end) held[u][r] = wt::load<HINT, wt::Vec<T, VEC>>(rows[r] + vector * VEC);
      }
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const i64 vector = first + u * 32 + lane;
      if (vector >= end) break;
      float of_few[VEC][FEW];
      load_few<T, FEW, VEC, FEW_ALONG_K, true>(of_few, few, vector * VEC, k, k);
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        float of_row[VEC];
        wt::unpack(held[u][r], of_row);
#pragma unroll
        for (int e = 0; e < VEC; ++e)
#pragma unroll
          for (int f = 0; f < FEW; ++f) sums[r][f] = fmaf(of_row[e], of_few[e][f], sums[r][f]);
      }
    }
  }
}

// The long side's operand lies across k: each lane ROWS vectors of VEC columns, UNROLL rows of k in flight. A warp takes the
// rows from `begin` to `end` in steps of STEP.
template <typename T, int FEW, int ROWS, int UNROLL, int VEC, int STEP, bool FEW_ALONG_K, bool ALIGNED, int HINT>
__device__ __forceinline__ void add_columns(float (&sums)[ROWS * VEC][FEW], const T* many, const int (&columns)[ROWS], int pitch,
                                            const T* few, i64 begin, i64 end, i64 k) {
  for (i64 first = begin; first < end; first += STEP) {
    wt::Vec<T, VEC> held[UNROLL][ROWS];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        held[u][r] = {};
        if (ALIGNED || first + u < end) held[u][r] = wt::load<HINT, wt::Vec<T, VEC>>(many + (first + u) * pitch + columns[r]);
      }
    }
    float of_few[UNROLL][FEW];
    load_few<T, FEW, UNROLL, FEW_ALONG_K, ALIGNED>(of_few, few, first, end, k);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        float of_many[VEC];
        wt::unpack(held[u][r], of_many);
#pragma unroll
        for (int e = 0; e < VEC; ++e)
#pragma unroll
          for (int f = 0; f < FEW; ++f) sums[r * VEC + e][f] = fmaf(of_many[e], of_few[u][f], sums[r * VEC + e][f]);
      }
    }
  }
}
