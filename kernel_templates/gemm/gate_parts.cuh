// Gates where the columns of a gate are in two tiles: a first launch leaves the sums of A * B in memory as they are, and a second one
// adds the parts of k and takes both columns from there.
#pragma once

#include "common/vec.cuh"
#include "place.cuh"

// Sums of a tile on their way to the second launch: no epilogue, rows of n.
__device__ __forceinline__ Epilogue<0, float> unfinished(int n) { return {nullptr, nullptr, nullptr, nullptr, 1.f, 0.f, n, n}; }

// Where a block leaves the sums of its part of k, `count` of which are those of all products. PARTED: each tile has equally many workers,
// one after another.
template <bool PARTED>
__device__ __forceinline__ float* part_of_worker(float4* parts, const Shares& shares, int tile_slices, i64 count) {
  const int part = PARTED ? int(blockIdx.x % (shares.workers / int(shares.slices / tile_slices))) : 0;
  return reinterpret_cast<float*>(parts) + part * count;
}

// `parts`: PARTS times the m x n sums of all products. A thread has WIDTH neighbours of C; WIDTH divides its columns, n / 2, and ldc, the
// elements from row to row.
template <typename T, typename Out, int PARTS, int WIDTH, int EPILOGUE>
__global__ void __launch_bounds__(128)
    gemm_gate(const float* __restrict__ parts, Out* __restrict__ c, const T* bias, const T* residual, const float* row_scale,
              const float* column_scale, float alpha, float beta, int m, int n, int batch, int ldc) {
  using Sums = wt::Vec<float, WIDTH>;
  const int columns = n / 2, vectors = columns / WIDTH;
  const i64 i = i64(blockIdx.x) * 128 + threadIdx.x, line = i / vectors;
  if (line >= i64(batch) * m) return;
  const int row = int(line % m), column = int(i - line * vectors) * WIDTH;
  const i64 of_product = line / m * m * ldc;
  const Epilogue<EPILOGUE, T> epilogue{bias, residual + of_product, row_scale, column_scale, alpha, beta, columns, ldc};

  float first[WIDTH] = {}, second[WIDTH] = {};
  const float* from = parts + line * n + column;
#pragma unroll 8
  for (int part = 0; part < PARTS; ++part) {
    float x[WIDTH], y[WIDTH];
    wt::unpack(wt::load<wt::kDefault, Sums>(from), x);
    wt::unpack(wt::load<wt::kDefault, Sums>(from + columns), y);
#pragma unroll
    for (int e = 0; e < WIDTH; ++e) first[e] += x[e], second[e] += y[e];
    from += i64(batch) * m * n;
  }
  Out* const to = c + of_product + i64(row) * ldc + column;
#pragma unroll
  for (int e = 0; e < WIDTH; ++e) first[e] = epilogue.gate_all(first[e], second[e], row, column + e);
  wt::store<wt::kDefault>(to, wt::pack<Out, WIDTH>(first));
}
