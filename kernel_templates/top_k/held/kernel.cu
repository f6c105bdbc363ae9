// The first k elements of rows that a warp holds in registers, sorted. The k-th best of the bests of groups of elements
// bounds the results. The few elements that reach it are collected in shared memory and sorted as integer keys.
#include "bound.cuh"
#include "common/early.cuh"
#include "common/rows.cuh"
#include "held/warp_sort.cuh"
#include "held/words.cuh"

using namespace wt;

// A lane holds VECTORS vectors of a row. Word i of a lane belongs to group i % GROUPS of its groups, whose numbers have
// an own best each. REGISTERS: 32 times as many elements may reach the bound; if there are more, the bound is raised.
template <typename T, typename I, bool LARGEST, int WARPS, int VECTORS, int GROUPS, int REGISTERS, bool ALIGNED>
__global__ void __launch_bounds__(32 * WARPS)
    top_k_held_rows(const T* __restrict__ x, T* __restrict__ values, I* __restrict__ indices, i64 rows, int n, int k) {
  wt::wait_for_earlier_work();
  using Key = KeyOf<T>;
  constexpr int kVec = 16 / sizeof(T), kWords = 4 * VECTORS, kPer = kPerWord<T>, kCapacity = 32 * REGISTERS;
  constexpr int kWordsOfMask = 32 / kPer, kMasks = ceil_div(kWords, kWordsOfMask), kBits = sizeof(T) == 4 ? 32 : 16;
  static_assert(kWords % GROUPS == 0 && VECTORS * 32 * kVec <= 0x8000, "indices have 15 bits");
  __shared__ Key found[WARPS][kCapacity];
  __shared__ int counts[WARPS];
  __shared__ Team<32>::Slots slots[WARPS];
  const RowPlace<32, WARPS, 1> place;
  const int own = place.row_in_block, lane = place.thread;
  if (place.row >= rows) return; // a whole warp
  Team<32> team(slots[own]);
  const Row<T, kVec, ALIGNED> row(place.row, n);

  Vec<T, kVec> held[VECTORS];
  row.load_batch(x, lane, 32, held, n, __int_as_float(LARGEST ? 0xff800000 : 0x7fc00000)); // minus infinity, or NaN
  const auto word = [&](int i) { return reinterpret_cast<const u32*>(&held[i / 4])[i % 4]; };
  u32 orders[GROUPS * kPer];
#pragma unroll
  for (int g = 0; g < GROUPS; ++g) {
    u32 best = word(g), of_group[kPer];
#pragma unroll
    for (int i = g + GROUPS; i < kWords; i += GROUPS) best = better<T, LARGEST>(best, word(i));
    orders_of<T, LARGEST>(best, of_group);
#pragma unroll
    for (int i = 0; i < kPer; ++i) orders[g * kPer + i] = of_group[i];
  }
  constexpr int kLowest = kPer == 1 ? 0 : 16; // bit of an order
  const u32 bound = bound_of<kLowest>(orders, static_cast<u32>(k), team);
  Key least = Key(bound) << (8 * sizeof(Key) - 32);

  // Bit i of a mask is of word i % kBits; of a pair, the second number has the upper bits.
  u32 masks[kMasks] = {};
  const T number = element_of<T, LARGEST>(least);
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    masks[i / kWordsOfMask] |= reaches<T, LARGEST>(word(i), number) & (kPer == 1 ? 1u : 0x10001u) << i % kBits;

  Key keys[REGISTERS];
  int& count = counts[own];
  for (;;) {
    if (lane == 0) count = 0;
    __syncwarp();
#pragma unroll
    for (int m = 0; m < kMasks; ++m) {
      for (u32 bits = masks[m]; bits != 0; bits &= bits - 1) {
        const int bit = 31 - __clz(bits & (0 - bits)), i = m * kWordsOfMask + bit % kBits;
        const int column = row.column(i / 4 * 32 + lane) + i % 4 * kPer + bit / kBits;
        if (static_cast<u32>(column) >= static_cast<u32>(n)) continue;
        const Vec<T, 1> element{x[place.row * n + column]};
        Key key;
        make_keys<T, LARGEST>(element, kFirst - column, &key);
        if (key < least) continue;
        if (const int at = atomicAdd(&count, 1); at < kCapacity) found[own][at] = key;
      }
    }
    __syncwarp();
    const int candidates = count;
#pragma unroll
    for (int r = 0; r < REGISTERS; ++r) keys[r] = r * 32 + lane < candidates ? found[own][r * 32 + lane] : 0;
    sort_in_warp(keys, lane);
    if (candidates <= kCapacity) break;
      // Of any of these elements at least k are not below the k-th best of those that were kept.
#pragma unroll
    for (int r = 0; r < REGISTERS; ++r)
      if (r == (k - 1) / 32) least = __shfl_sync(0xffffffffu, keys[r], (k - 1) % 32, 32);
    __syncwarp(); // all have read
  }
#pragma unroll
  for (int r = 0; r < REGISTERS; ++r) {
    const int rank = r * 32 + lane;
    if (rank >= k) break;
    values[place.row * k + rank] = element_of<T, LARGEST>(keys[r]);
    indices[place.row * k + rank] = index_of(keys[r]);
  }
}
