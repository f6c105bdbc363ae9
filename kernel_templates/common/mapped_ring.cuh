// The rows of mapped_rows.cuh by persistent blocks: bulk copies fill a ring of rows in shared memory ahead of them.
// Rows of whole 16-byte vectors. sm_90.
#pragma once

#include "common/mapped_rows.cuh"
#include "common/row_ring.cuh"

namespace wt {

// TPR threads work on a row, RPB rows a block at a time; ITERS is the number of vectors of each input that a thread
// holds.
template <int TPR, int RPB, int ITERS, int STAGES, typename Rule, typename T>
__device__ __forceinline__ void map_row_ring(const Rule& rule, const T* const (&inputs)[Rule::kInputs], T* y, i64 rows,
                                             int cols, u8* slots) {
  constexpr int kVec = 16 / sizeof(T);
  using Part = typename Rule::Part;
  using Exchange = RowExchange<Part, TPR, RPB, 1>;
  const RowPlace<TPR, RPB, 1> place;
  __shared__ u64 full[STAGES];
  __shared__ Exchange exchange[2];
  RowRing<T, Rule::kInputs, RPB, STAGES> ring(inputs, rows, cols, slots, full);
  for (int turn = 0; ring.more(); turn ^= 1) {
    const i64 at = ring.group * RPB + place.row_in_block;
    const bool live = at < rows;
    const i64 own = live ? at : 0;
    MappedRun<Rule, T, kVec, ITERS, true> run(rule, own * cols, live ? cols : 0, TPR);
    typename Rule::Known known = rule.known(own);
    Part part;
    ring.wait();
#pragma unroll
    for (int n = 0; n < Rule::kInputs; ++n)
#pragma unroll
      for (int i = 0; i < ITERS; ++i) {
        const int vector = place.thread + i * TPR;
        run.batch[n][i] = Vec<T, kVec>{};
        if (vector < run.row.vectors)
          run.batch[n][i] = reinterpret_cast<const Vec<T, kVec>*>(ring.row(n, place.row_in_block))[vector];
      }
    run.add(part, known);
#pragma unroll
    for (int n = 0; n < Rule::kInputs; ++n) keep_packed(run.batch[n]);
    part = exchange[turn].merge(part, 0, place.row_in_block);
    if constexpr (!Exchange::kNeeded) __syncthreads();
    ring.release();
    known = rule.complete(known, part);
    if (live && place.thread == 0) rule.save(own, known);
    run.store(y, place.thread, known);
    ring.advance();
  }
}

} // namespace wt
