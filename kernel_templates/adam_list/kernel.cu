// One step of an optimiser for a list of tensors in one launch. A block takes a tile of one tensor.
#include "common/early_next.cuh"
#include "common/optimiser.cuh"

using namespace wt;

// A tensor takes the numbers offsets[t] / TILE + t of tiles and all up to that of the next tensor. These are enough for
// its elements, and at most one too many: floor(a + b) >= floor(a) + floor(b). So the tile's tensor is found without a
// table that depends on TILE.
template <i64 TILE> __device__ __forceinline__ i64 first_tile(const i64* offsets, int tensor) {
  return static_cast<i64>(static_cast<u64>(offsets[tensor]) / TILE) + tensor;
}

// The last tensor whose first tile is at most `tile`. The lanes of a warp split the rest of the list into 32 parts.
template <i64 TILE> __device__ __forceinline__ int find_tensor(const i64* offsets, int count, i64 tile) {
  int first = 0;
  const int lane = threadIdx.x % 32;
  while (count > 1) {
    const int part = ceil_div(count, 32), probe = lane * part;
    const bool is_before = probe < count && first_tile<TILE>(offsets, first + probe) <= tile;
    const int skipped = (__popc(__ballot_sync(~0u, is_before)) - 1) * part;
    first += skipped;
    count = min(part, count - skipped);
  }
  return first;
}

// The elements of the tile that begins at `begin`, at most up to n, in PASSES batches of loads.
template <int VEC, int UNROLL, int PASSES, int BLOCK, typename Work>
__device__ __forceinline__ void do_passes(i64 begin, i64 n, const Work& work) {
  constexpr i64 kPass = i64(BLOCK) * VEC * UNROLL;
#pragma unroll 1
  for (int pass = 0; pass < PASSES && begin < n; ++pass, begin += kPass) {
    const i64 first = begin + threadIdx.x * VEC;
    if (begin + kPass <= n) {
      do_tile<true, VEC, UNROLL, BLOCK>(first, n, work);
    } else { // whole vectors, then the elements after the last whole vector
      do_tile<false, VEC, UNROLL, BLOCK>(first, n, work);
      do_tile<false, 1, 1, BLOCK>(n - n % VEC + threadIdx.x, n, work);
    }
  }
}

// The number of elements between an address and the last multiple of a vector's size before it.
template <int VEC, typename T> __device__ __forceinline__ int phase_of(const T* address) {
  return static_cast<int>(reinterpret_cast<u64>(address) / sizeof(T) % VEC);
}

// P, S, STORES: of Step. RULE: of the enum. `starts` has a row for each tensor, with its first element in each of the
// buffers that exist, in their order. MISALIGNED: a tensor may begin at any element; otherwise all begin at whole
// vectors.
template <typename P, typename G, typename S, int RULE, bool MASTER, bool MISALIGNED, int VEC, int UNROLL, int PASSES,
          int BLOCK, int STORES>
__global__ void __launch_bounds__(BLOCK)
    optimiser_step_of_list(const G* grads, typename WeightOf<P, MASTER>::type* weights, S* means, S* squares, P* params,
                           const i64* __restrict__ offsets, const i64* __restrict__ starts, double rate, double decay,
                           double scale, double beta1, double beta2, double eps, double correction1, double correction2,
                           double momentum, double dampening, int count) {
  wt::let_next_start();
  const StepNumbers numbers =
      step_numbers(rate, decay, scale, beta1, beta2, eps, correction1, correction2, momentum, dampening);
  wt::wait_for_earlier_work_after(any_bits(numbers));
  using Work = Step<P, G, S, Rule(RULE), MASTER, STORES>;
  constexpr i64 kTile = i64(BLOCK) * VEC * UNROLL * PASSES;
  constexpr int kBuffers = 3 + Work::kSquares + MASTER;
  const i64 tile = blockIdx.x;
  const int tensor = find_tensor<kTile>(offsets, count, tile);
  const i64* const start = starts + i64(tensor) * kBuffers;
  const i64 begin = (tile - first_tile<kTile>(offsets, tensor)) * kTile;
  i64 n = offsets[tensor + 1] - offsets[tensor];
  if (begin >= n) return;
  Work work{grads + start[0], weights + start[1], means + start[2], squares, params, numbers};
  if constexpr (Work::kSquares) work.squares += start[3];
  if constexpr (MASTER) work.params += start[kBuffers - 1];
  if constexpr (MISALIGNED) {
    const int phase = phase_of<VEC>(work.grads);
    bool is_equal = phase == phase_of<VEC>(work.weights) && phase == phase_of<VEC>(work.means);
    if constexpr (Work::kSquares) is_equal = is_equal && phase == phase_of<VEC>(work.squares);
    if constexpr (MASTER) is_equal = is_equal && phase == phase_of<VEC>(work.params);
    if (!is_equal) { // no element begins a vector in all buffers
      do_passes<1, UNROLL, PASSES * VEC, BLOCK>(begin, n, work);
      return;
    }
    const i64 head = min(n, i64((VEC - phase) % VEC));
    if (begin == 0) do_tile<false, 1, 1, BLOCK>(threadIdx.x, head, work);
    work.grads += head;
    work.weights += head;
    work.means += head;
    if constexpr (Work::kSquares) work.squares += head;
    if constexpr (MASTER) work.params += head;
    n -= head;
  }
  do_passes<VEC, UNROLL, PASSES, BLOCK>(begin, n, work);
}
