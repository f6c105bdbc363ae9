// The gradients of a loss of rows with respect to its two or three matrices.
#include "common/early.cuh"
#include "common/row_inputs.cuh"
#include "common/row_losses.cuh"

using namespace wt;

enum Hold : int { kNowhere, kInRegisters, kInShared };

// TPR threads of each of BLOCKS blocks work on a row, RPB rows a block, with BATCH loads of each matrix in flight a
// thread. HOLD: where the row is, once it has been read: in registers, if these loads are the whole row; in shared
// memory; otherwise it is read twice. SAVED: the forward pass has saved the sums, so the blocks of a row need nothing
// from one another, and registers hold rows of any length. Otherwise they are a cluster: with a long row shared, it
// fits in their shared memory, or so few rows are in work that the second reads find them in the L2. SUM: all rows have
// the same gradient of the loss.
template <typename T, typename D, typename Function, bool SUM, bool SAVED, int TPR, int RPB, int BLOCKS, int VEC,
          int BATCH, int HOLD, bool ALIGNED>
__global__ void __launch_bounds__(TPR* RPB)
    row_loss_backward(const D* __restrict__ dloss, const T* __restrict__ x, const T* __restrict__ x2,
                      const T* __restrict__ x3, const T* __restrict__ target, const float* __restrict__ row_sums,
                      T* __restrict__ dx, T* __restrict__ dx2, T* __restrict__ dx3, float margin, float eps,
                      float divisor, i64 rows, int cols) {
  wt::wait_for_earlier_work();
  constexpr int kInputs = Function::kInputs;
  const T* const all[] = {x, x2, x3};
  const T* const(&inputs)[kInputs] = reinterpret_cast<const T* const(&)[kInputs]>(all);
  T* const gradients[] = {dx, dx2, dx3};
  const RowLossSettings settings{margin, eps};
  const RowPlace<TPR, RPB, BLOCKS> place;
  const i64 row = place.row;
  const bool live = row < rows;
  const RowInputs<T, kInputs, VEC, BATCH, ALIGNED> own{inputs, Row<T, VEC, ALIGNED>(live ? row : 0, live ? cols : 0)};
  extern __shared__ __align__(16) u8 memory[];
  const HeldRows<T, kInputs, VEC, BATCH, ALIGNED, TPR * RPB> in_shared{own, place.first, place.kStep,
                                                                       reinterpret_cast<Vec<T, VEC>*>(memory)};
  Vec<T, VEC> held[kInputs][BATCH];
  const auto load = [&](int at) {
    if constexpr (HOLD == kInShared)
      in_shared.load(at, held);
    else
      own.load(at, place.kStep, held);
  };
  Sums<3> sums;
  if constexpr (SAVED) {
    static_assert(HOLD == kInRegisters, "the blocks of a row have a place for each vector");
    load(place.first);
    if (!live) return;
#pragma unroll
    for (int i = 0; i < 3; ++i) sums.v[i] = row_sums[3 * row + i];
  } else {
    __shared__ RowExchange<Sums<3>, TPR, RPB, BLOCKS> exchange;
    exchange.announce();
    if constexpr (HOLD == kInShared) in_shared.copy();
    for (int at = place.first; at < own.row.vectors; at += BATCH * place.kStep) {
      load(at);
      own.for_each(
          at, place.kStep, held, [&](int, const float(&v)[kInputs]) { Function::add(v, settings, sums); }, [](int) {});
      if constexpr (HOLD == kInRegisters) break;
    }
    sums = exchange.merge(sums, place.rank, place.row_in_block);
    if (!live) return;
  }
  const float g = to_float(dloss[SUM ? 0 : row]) / divisor;
  const typename Function::Slopes slopes(sums, kInputs == 2 ? to_float(target[row]) : 0.0f, g, settings);
#pragma unroll
  for (int input = 0; input < kInputs; ++input) keep_packed(held[input]);
  for (int at = place.first; at < own.row.vectors; at += BATCH * place.kStep) {
    if constexpr (HOLD != kInRegisters) load(at);
    float d[kInputs][VEC];
    const auto element = [&](int k, const float(&v)[kInputs]) {
      float own_d[kInputs];
      slopes.at(v, settings, own_d);
#pragma unroll
      for (int input = 0; input < kInputs; ++input) d[input][k] = own_d[input];
    };
    own.for_each(at, place.kStep, held, element, [&](int vector) {
#pragma unroll
      for (int input = 0; input < kInputs; ++input) own.row.store(gradients[input], vector, pack<T, VEC>(d[input]));
    });
    if constexpr (HOLD == kInRegisters) break;
  }
}
