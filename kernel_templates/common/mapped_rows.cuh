// Rows of which each result depends on an element and on a sum over its row. A row is added up by a block, by several
// rows of a block, by a cluster, or in pieces by blocks of the whole device. All orders are fixed, so that the same
// launch gives the same bits each time.
//
// A Rule says what is computed:
//   kInputs                     tensors of the rows' shape that are read
//   Part                        what is added up (row_exchange.cuh)
//   Known known(row)            what is known of a row before its sum
//   add(part, known, v)         adds N elements: v[kInputs][N]; elements that do not exist are 0
//   Known complete(known, sum)  what is known with the sum
//   float result(known, v)      the result of an element: v[kInputs]
//   save(row, known)            stores what else is a result of the row
#pragma once

#include "common/row_exchange.cuh"
#include "common/rows.cuh"

namespace wt {

// A thread's elements of rows: BATCH vectors of each input at a time, which are `step` vectors apart.
template <typename Rule, typename T, int VEC, int BATCH, bool ALIGNED> struct MappedRun {
  using Part = typename Rule::Part;
  using Known = typename Rule::Known;
  static constexpr int kInputs = Rule::kInputs;
  static constexpr int kGroup = 16; // batches that are added one after the other: long chains are less accurate
  const Rule& rule;
  Row<T, VEC, ALIGNED> row;
  int step;
  Vec<T, VEC> batch[kInputs][BATCH];

  __device__ __forceinline__ MappedRun(const Rule& rule_, i64 start, int length, int step_)
      : rule(rule_), row(0, length), step(step_) {
    if constexpr (!ALIGNED) {
      row.lead = static_cast<int>(start % VEC);
      row.vectors = length > 0 ? (row.lead + length + VEC - 1) / VEC : 0;
    }
    row.first = start - row.lead;
  }
  __device__ __forceinline__ void load(const T* const (&inputs)[kInputs], int at) {
#pragma unroll
    for (int n = 0; n < kInputs; ++n) row.load_batch(inputs[n], at, step, batch[n], row.cols);
  }
  __device__ __forceinline__ void add(Part& part, const Known& known) const {
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      float v[kInputs][VEC];
#pragma unroll
      for (int n = 0; n < kInputs; ++n) unpack<T, VEC>(batch[n][i], v[n]);
      rule.add(part, known, v);
    }
  }
  __device__ __forceinline__ Part add_all(const T* const (&inputs)[kInputs], int first, const Known& known) {
    Part whole;
    for (int at = first; at < row.vectors;) {
      Part group;
      for (int i = 0; i < kGroup && at < row.vectors; ++i, at += BATCH * step) {
        load(inputs, at);
        add(group, known);
      }
      whole.merge(group);
    }
    return whole;
  }
  __device__ __forceinline__ void store(T* y, int at, const Known& known) const {
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      float v[kInputs][VEC], results[VEC];
#pragma unroll
      for (int n = 0; n < kInputs; ++n) unpack<T, VEC>(batch[n][i], v[n]);
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        float own[kInputs];
#pragma unroll
        for (int n = 0; n < kInputs; ++n) own[n] = v[n][k];
        results[k] = rule.result(known, own);
      }
      row.store(y, at + i * step, pack<T, VEC>(results));
    }
  }
};

// TPR threads of each of CLUSTER blocks work on a row, RPB rows a block. HELD: BATCH vectors of a thread are all that
// it has of the row, which is then read once; otherwise, it is read again, from the L2 if it is still there.
template <int TPR, int RPB, int VEC, int BATCH, int CLUSTER, bool ALIGNED, bool HELD, typename Rule, typename T>
__device__ __forceinline__ void map_rows(const Rule& rule, const T* const (&inputs)[Rule::kInputs], T* y, i64 rows,
                                         int cols) {
  const RowPlace<TPR, RPB, CLUSTER> place;
  __shared__ RowExchange<typename Rule::Part, TPR, RPB, CLUSTER> exchange;
  exchange.announce();
  const bool live = place.row < rows;
  const i64 own = live ? place.row : 0;
  MappedRun<Rule, T, VEC, BATCH, ALIGNED> run(rule, own * cols, live ? cols : 0, place.kStep);
  typename Rule::Part part;
  if constexpr (HELD) run.load(inputs, place.first);
  typename Rule::Known known = rule.known(own);
  if constexpr (HELD) {
    run.add(part, known);
#pragma unroll
    for (int n = 0; n < Rule::kInputs; ++n) keep_packed(run.batch[n]);
  } else {
    part = run.add_all(inputs, place.first, known);
  }
  known = rule.complete(known, exchange.merge(part, place.rank, place.row_in_block));
  if (live && place.first == 0) rule.save(own, known);
  if constexpr (HELD) {
    run.store(y, place.first, known);
  } else {
    for (int at = place.first; at < run.row.vectors; at += BATCH * place.kStep) {
      run.load(inputs, at);
      run.store(y, at, known);
    }
  }
}

// A piece of a row, of `length` elements, for a block.
template <typename Rule, typename T, int THREADS, int VEC, int BATCH, bool ALIGNED>
struct MappedPiece : MappedRun<Rule, T, VEC, BATCH, ALIGNED> {
  i64 own;
  int piece;

  __device__ __forceinline__ MappedPiece(const Rule& rule, i64 cols, int length, int pieces)
      : MappedRun<Rule, T, VEC, BATCH, ALIGNED>(rule, start(cols, length, pieces), here(cols, length, pieces), THREADS),
        own(blockIdx.x / pieces), piece(static_cast<int>(blockIdx.x % pieces)) {}

 private:
  static __device__ __forceinline__ i64 start(i64 cols, int length, int pieces) {
    return blockIdx.x / pieces * cols + i64(blockIdx.x % pieces) * length;
  }
  static __device__ __forceinline__ int here(i64 cols, int length, int pieces) {
    const i64 left = cols - i64(blockIdx.x % pieces) * length;
    return static_cast<int>(left < length ? left : length);
  }
};

// The first of two launches: the sum of each piece, at parts[row * pieces + piece].
template <int THREADS, int VEC, int BATCH, bool ALIGNED, typename Rule, typename T>
__device__ __forceinline__ void sum_piece(const Rule& rule, const T* const (&inputs)[Rule::kInputs],
                                          typename Rule::Part* parts, i64 cols, int length, int pieces) {
  __shared__ RowExchange<typename Rule::Part, THREADS, 1, 1> exchange;
  MappedPiece<Rule, T, THREADS, VEC, BATCH, ALIGNED> run(rule, cols, length, pieces);
  const auto part = exchange.merge(run.add_all(inputs, threadIdx.x, rule.known(run.own)), 0, 0);
  if (threadIdx.x == 0) parts[blockIdx.x] = part;
}

// The second: each block adds up the sums of its row. It begins at the end of its piece, which may still be in the L2.
template <int THREADS, int VEC, int BATCH, bool ALIGNED, bool DEPENDENT, typename Rule, typename T>
__device__ __forceinline__ void map_piece(const Rule& rule, const T* const (&inputs)[Rule::kInputs],
                                          const typename Rule::Part* parts, T* y, i64 cols, int length, int pieces) {
  __shared__ RowExchange<typename Rule::Part, THREADS, 1, 1> exchange;
  MappedPiece<Rule, T, THREADS, VEC, BATCH, ALIGNED> run(rule, cols, length, pieces);
  if constexpr (DEPENDENT) wait_for_predecessor();
  typename Rule::Part part;
  for (int i = threadIdx.x; i < pieces; i += THREADS) part.merge(parts[run.own * pieces + i]);
  const auto known = rule.complete(rule.known(run.own), exchange.merge(part, 0, 0));
  if (run.piece == 0 && threadIdx.x == 0) rule.save(run.own, known);
  constexpr int kBatch = THREADS * BATCH;
  for (int at = (run.row.vectors - 1) / kBatch * kBatch; at >= 0; at -= kBatch) {
    run.load(inputs, at + threadIdx.x);
    run.store(y, at + threadIdx.x, known);
  }
}

} // namespace wt
