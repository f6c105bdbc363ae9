// A loss of each row of two or three matrices: stored, or added up in one pass. Sums have a fixed order.
#include "common/early.cuh"
#include "common/row_inputs.cuh"
#include "common/row_losses.cuh"
#include "loss_parts.cuh"

using namespace wt;

// TPR threads work on a row, RPB rows a block at a time, with BATCH loads of each matrix in flight a thread. With SUM
// each block leaves one part. row_sums: where the sums of the rows are saved, if they are. DEPENDENT: add_loss_parts
// may start before this launch has ended.
template <typename T, typename Out, typename Function, bool SUM, int TPR, int RPB, int VEC, int BATCH, bool ALIGNED,
          bool DEPENDENT>
__global__ void __launch_bounds__(TPR* RPB)
    row_loss(const T* __restrict__ x, const T* __restrict__ x2, const T* __restrict__ x3, const T* __restrict__ target,
             Out* __restrict__ y, float* __restrict__ row_sums, float* __restrict__ parts, float margin, float eps,
             i64 rows, int cols) {
  wt::wait_for_earlier_work();
  constexpr int kInputs = Function::kInputs;
  if constexpr (SUM && DEPENDENT) launch_dependents();
  const T* const all[] = {x, x2, x3};
  const T* const(&inputs)[kInputs] = reinterpret_cast<const T* const(&)[kInputs]>(all);
  const RowLossSettings settings{margin, eps};
  const int thread = static_cast<int>(threadIdx.x) % TPR, row_in_block = static_cast<int>(threadIdx.x) / TPR;
  __shared__ RowExchange<Sums<3>, TPR, RPB, 1> exchanges[2]; // in turn
  float sum = 0;
  int turn = 0;
  for (i64 first = i64(blockIdx.x) * RPB; first < rows; first += i64(gridDim.x) * RPB) {
    const i64 row = first + row_in_block;
    const bool live = row < rows;
    // Loaded before the row, and converted after it, so that nothing waits for it.
    T wanted{};
    if constexpr (kInputs == 2) wanted = target[live ? row : 0];
    const RowInputs<T, kInputs, VEC, BATCH, ALIGNED> own{inputs, Row<T, VEC, ALIGNED>(live ? row : 0, live ? cols : 0)};
    Sums<3> sums;
    for (int at = thread; at < own.row.vectors; at += BATCH * TPR) {
      Vec<T, VEC> held[kInputs][BATCH];
      own.load(at, TPR, held);
      own.for_each(
          at, TPR, held, [&](int, const float(&v)[kInputs]) { Function::add(v, settings, sums); }, [](int) {});
    }
    sums = exchanges[turn++ % 2].merge(sums, 0, row_in_block);
    const float loss = Function::value(sums, to_float(wanted), settings);
    if (!live || thread != 0) continue;
    if (row_sums)
#pragma unroll
      for (int i = 0; i < 3; ++i) row_sums[3 * row + i] = sums.v[i];
    if constexpr (SUM)
      sum += loss;
    else
      y[row] = from_float<Out>(loss);
  }
  if constexpr (SUM) {
    __shared__ float scratch[TPR * RPB / 32];
    sum = block_sum<TPR * RPB>(sum, scratch);
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
  }
}
