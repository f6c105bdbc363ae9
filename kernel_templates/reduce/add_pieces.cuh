// The second launch, where the n elements of a result were shared among blocks: adds up the pieces in a fixed order.
#pragma once

#include "common/rows.cuh"
#include "part.cuh"

// The part of a piece is at parts[piece * results + result]. TPR threads work on a result, RPB results a block.
template <typename R, int KIND, int TPR, int RPB, bool DEPENDENT>
__global__ void __launch_bounds__(TPR* RPB)
    add_pieces(const Part<KIND>* parts, R* y, float correction, i64 results, i64 n, int piece_length, int pieces) {
  const wt::RowPlace<TPR, RPB, 1> place;
  __shared__ wt::RowExchange<Whole<KIND>, TPR, RPB, 1> exchange;
  if constexpr (DEPENDENT) wt::wait_for_predecessor();
  const bool live = place.row < results;
  constexpr int kChain = 32 * TPR; // merges pieces in groups, because long chains of additions are less accurate
  Whole<KIND> whole;
  for (int first = place.thread; first < (live ? pieces : 0); first += kChain) {
    Whole<KIND> group;
    const int end = pieces - first < kChain ? pieces : first + kChain;
#pragma unroll 8
    for (int piece = first; piece < end; piece += TPR)
      group.merge(whole_of<KIND>(parts[piece * results + place.row], i64(piece) * piece_length));
    whole.merge(group);
  }
  whole = exchange.merge(whole, 0, place.row_in_block);
  if (live && place.thread == 0) y[place.row] = result_of<KIND, R>(whole, n, correction);
}
