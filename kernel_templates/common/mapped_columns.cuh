// The same as mapped_rows.cuh, with its Rule, for the columns of matrices: a column is added up by the threads of a
// block, or in pieces by several blocks. All orders are fixed.
#pragma once

#include "common/async.cuh"
#include "common/vec.cuh"

namespace wt {

// X threads cover X * VEC neighbouring columns, and Y of them take turns at the rows, BATCH rows of each input at a
// time. The block has the rows `begin` to `begin` + `rows` of a matrix of n x inner.
template <typename Rule, typename T, int X, int Y, int VEC, int BATCH> struct MappedColumns {
  using Part = typename Rule::Part;
  using Known = typename Rule::Known;
  static constexpr int kInputs = Rule::kInputs, kGroup = 16, kRun = 4; // rows that are added by a tree
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(is_pow2(Y) && Y > 1 && X * Y <= 1024, "parts of all threads are merged in shared memory, by halves");
  const Rule& rule;
  int lane, turn, rows;  // rows of the block, or 0 if the thread has no column
  i64 first, inner, own; // the thread's first element in the first row; its first column, of all matrices
  Vec<T, VEC> batch[kInputs][BATCH];

  __device__ __forceinline__ MappedColumns(const Rule& rule_, i64 matrix, int tile, i64 begin, int rows_, i64 n,
                                           i64 inner_)
      : rule(rule_), lane(threadIdx.x % X), turn(threadIdx.x / X), inner(inner_) {
    const i64 column = (i64(tile) * X + lane) * VEC;
    rows = column < inner ? rows_ : 0;
    first = (matrix * n + begin) * inner + column;
    own = matrix * inner + column;
  }
  __device__ __forceinline__ void known(Known (&all)[VEC]) const {
#pragma unroll
    for (int k = 0; k < VEC; ++k) all[k] = rule.known(rows > 0 ? own + k : 0);
  }
  __device__ __forceinline__ void load(const T* const (&inputs)[kInputs], int at) {
#pragma unroll
    for (int n = 0; n < kInputs; ++n)
#pragma unroll
      for (int i = 0; i < BATCH; ++i) {
        batch[n][i] = Vec<T, VEC>{};
        if (at + i * Y < rows)
          batch[n][i] = wt::load<kDefault, Vec<T, VEC>>(inputs[n] + first + i64(at + i * Y) * inner);
      }
  }
  __device__ __forceinline__ void add(Part (&part)[VEC], const Known (&all)[VEC]) const {
#pragma unroll
    for (int i = 0; i < BATCH; i += kRun) {
      float run[kInputs][kRun][VEC];
#pragma unroll
      for (int n = 0; n < kInputs; ++n)
#pragma unroll
        for (int r = 0; r < kRun; ++r) unpack<T, VEC>(i + r < BATCH ? batch[n][i + r] : Vec<T, VEC>{}, run[n][r]);
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        float v[kInputs][kRun];
#pragma unroll
        for (int n = 0; n < kInputs; ++n)
#pragma unroll
          for (int r = 0; r < kRun; ++r) v[n][r] = run[n][r][k];
        rule.add(part[k], all[k], v);
      }
    }
  }
  // All rows of the thread, in groups of batches: long chains of additions are less accurate.
  __device__ __forceinline__ void add_all(const T* const (&inputs)[kInputs], Part (&part)[VEC],
                                          const Known (&all)[VEC]) {
    for (int at = turn; at < rows;) {
      Part group[VEC];
      for (int i = 0; i < kGroup && at < rows; ++i, at += BATCH * Y) {
        load(inputs, at);
        add(group, all);
      }
#pragma unroll
      for (int k = 0; k < VEC; ++k) part[k].merge(group[k]);
    }
  }
  // Every thread of the block calls it and gets the sums of its columns.
  __device__ __forceinline__ void merge(Part (&part)[VEC]) const {
    __shared__ __align__(16) u8 memory[Y / 2 * VEC * X * sizeof(Part)];
    const auto upper = reinterpret_cast<Part(*)[VEC][X]>(memory);
#pragma unroll
    for (int half = Y / 2; half > 0; half /= 2) {
      if (turn >= half && turn < 2 * half)
#pragma unroll
        for (int k = 0; k < VEC; ++k) upper[turn - half][k][lane] = part[k];
      __syncthreads();
      if (turn < half)
#pragma unroll
        for (int k = 0; k < VEC; ++k) part[k].merge(upper[turn][k][lane]);
      __syncthreads();
    }
    if (turn == 0)
#pragma unroll
      for (int k = 0; k < VEC; ++k) upper[0][k][lane] = part[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < VEC; ++k) part[k] = upper[0][k][lane];
  }
  __device__ __forceinline__ void complete(Known (&all)[VEC], const Part (&sums)[VEC], bool saves) const {
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      all[k] = rule.complete(all[k], sums[k]);
      if (saves && rows > 0 && turn == 0) rule.save(own + k, all[k]);
    }
  }
  __device__ __forceinline__ void store(T* y, int at, const Known (&all)[VEC]) const {
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      if (at + i * Y >= rows) continue;
      float v[kInputs][VEC], results[VEC];
#pragma unroll
      for (int n = 0; n < kInputs; ++n) unpack<T, VEC>(batch[n][i], v[n]);
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        float one[kInputs];
#pragma unroll
        for (int n = 0; n < kInputs; ++n) one[n] = v[n][k];
        results[k] = rule.result(all[k], one);
      }
      wt::store<kStreaming>(y + first + i64(at + i * Y) * inner, pack<T, VEC>(results));
    }
  }
};

// Whole columns of a block. HELD: BATCH rows of a thread are all that it has, and are read once.
template <int X, int Y, int VEC, int BATCH, bool HELD, typename Rule, typename T>
__device__ __forceinline__ void map_columns(const Rule& rule, const T* const (&inputs)[Rule::kInputs], T* y, int n,
                                            i64 inner, int tiles) {
  MappedColumns<Rule, T, X, Y, VEC, BATCH> own(rule, blockIdx.x / tiles, blockIdx.x % tiles, 0, n, n, inner);
  typename Rule::Known known[VEC];
  typename Rule::Part part[VEC];
  if constexpr (HELD) own.load(inputs, own.turn);
  own.known(known);
  if constexpr (HELD) {
    own.add(part, known);
  } else {
    own.add_all(inputs, part, known);
  }
  own.merge(part);
  own.complete(known, part, true);
  if constexpr (HELD) {
    own.store(y, own.turn, known);
  } else {
    for (int at = own.turn; at < own.rows; at += BATCH * Y) {
      own.load(inputs, at);
      own.store(y, at, known);
    }
  }
}

// The place of a block that has a piece, of `length` rows, of some columns.
struct ColumnPiece {
  i64 matrix, begin;
  int tile, piece, rows;

  __device__ __forceinline__ ColumnPiece(i64 n, int length, int pieces, int tiles) {
    tile = static_cast<int>(blockIdx.x % tiles);
    piece = static_cast<int>(blockIdx.x / tiles % pieces);
    matrix = blockIdx.x / tiles / pieces;
    begin = i64(piece) * length;
    rows = static_cast<int>(n - begin < length ? n - begin : length);
  }
};

// The first of two launches: the sums of each piece, at parts[(matrix * pieces + piece) * inner + column].
template <int X, int Y, int VEC, int BATCH, typename Rule, typename T>
__device__ __forceinline__ void sum_column_piece(const Rule& rule, const T* const (&inputs)[Rule::kInputs],
                                                 typename Rule::Part* parts, i64 n, i64 inner, int length, int pieces,
                                                 int tiles) {
  const ColumnPiece at_block(n, length, pieces, tiles);
  MappedColumns<Rule, T, X, Y, VEC, BATCH> own(rule, at_block.matrix, at_block.tile, at_block.begin, at_block.rows, n,
                                               inner);
  typename Rule::Known known[VEC];
  typename Rule::Part part[VEC];
  own.known(known);
  own.add_all(inputs, part, known);
  own.merge(part);
  if (own.turn > 0 || own.rows == 0) return;
  const i64 column = own.own - at_block.matrix * inner;
#pragma unroll
  for (int k = 0; k < VEC; ++k) parts[(at_block.matrix * pieces + at_block.piece) * inner + column + k] = part[k];
}

// The second: each block adds up the sums of its columns. It begins at the end of its piece, which may still be in the
// L2.
template <int X, int Y, int VEC, int BATCH, bool DEPENDENT, typename Rule, typename T>
__device__ __forceinline__ void map_column_piece(const Rule& rule, const T* const (&inputs)[Rule::kInputs],
                                                 const typename Rule::Part* parts, T* y, i64 n, i64 inner, int length,
                                                 int pieces, int tiles) {
  const ColumnPiece at_block(n, length, pieces, tiles);
  MappedColumns<Rule, T, X, Y, VEC, BATCH> own(rule, at_block.matrix, at_block.tile, at_block.begin, at_block.rows, n,
                                               inner);
  typename Rule::Known known[VEC];
  typename Rule::Part part[VEC];
  if constexpr (DEPENDENT) wait_for_predecessor();
  const i64 column = own.own - at_block.matrix * inner;
  for (int piece = own.turn; piece < (own.rows > 0 ? pieces : 0); piece += Y)
#pragma unroll
    for (int k = 0; k < VEC; ++k) part[k].merge(parts[(at_block.matrix * pieces + piece) * inner + column + k]);
  own.merge(part);
  own.known(known);
  own.complete(known, part, at_block.piece == 0);
  for (int at = (own.rows - 1) / (BATCH * Y) * (BATCH * Y); at >= 0 && own.rows > 0; at -= BATCH * Y) {
    own.load(inputs, at + own.turn);
    own.store(y, at + own.turn, known);
  }
}

} // namespace wt
