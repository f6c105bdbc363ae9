// The parts of neighbouring columns that a thread works on at the same time.
#pragma once

#include "part.cuh"

// Adds some rows, at least one: v[column][row]. The rows of all columns are the same ones, so the moments of all
// columns share their counts and divisions.
template <int KIND, int VEC, int ROWS, typename Holds>
__device__ __forceinline__ void add_rows(Part<KIND> (&part)[VEC], const float (&v)[VEC][ROWS][1], int at, int step,
                                         const Holds& holds) {
  if constexpr (is_arg(KIND)) {
#pragma unroll
    for (int k = 0; k < VEC; ++k) part[k].add(v[k], at, step, holds);
  } else if constexpr (KIND != kVariance) { // the rows as one run, which makes the chain of additions short
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      float run[1][ROWS];
#pragma unroll
      for (int i = 0; i < ROWS; ++i) run[0][i] = v[k][i][0];
      part[k].add(run, at, step, holds);
    }
  } else {
    int rows = 0;
#pragma unroll
    for (int i = 0; i < ROWS; ++i) rows += holds(i, 0);
    const float added = rows, count = part[0].count, both = count + added;
    const float inverse = __fdividef(1.0f, added), share = __fdividef(added, both), weight = count * share;
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      float sum = 0, squares = 0;
#pragma unroll
      for (int i = 0; i < ROWS; ++i) sum += v[k][i][0];
      const float mean = sum * inverse, apart = mean - part[k].mean;
#pragma unroll
      for (int i = 0; i < ROWS; ++i) {
        const float deviation = holds(i, 0) ? v[k][i][0] - mean : 0.0f;
        squares = fmaf(deviation, deviation, squares);
      }
      part[k].mean = fmaf(apart, share, part[k].mean);
      part[k].squares += fmaf(apart * apart, weight, squares);
      part[k].count = both;
    }
  }
}

// Merges parts by halves, into the first.
template <int N, typename P> __device__ __forceinline__ void merge_halves(P* parts) {
  if constexpr (N > 1) {
#pragma unroll
    for (int i = 0; i < N / 2; ++i) parts[i].merge(parts[i + N / 2]);
    merge_halves<N / 2>(parts);
  }
}
