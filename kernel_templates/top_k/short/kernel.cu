// The first k elements of short rows, sorted, in one pass without atomics: each lane sorts chunks of its elements as
// integer keys in registers and merges them into its K best; then the lanes of a row merge their lists. Tiles of rows
// and the results pass through shared memory, so that neighbouring threads access neighbouring addresses.
#include "common/async.cuh"
#include "common/early.cuh"
#include "keys.cuh"
#include "sorted.cuh"

using namespace wt;

// Copies `rows` rows of n elements, which are contiguous, to rows that are PAD vectors of 16 bytes longer if PADDED; n
// is then a number of such vectors. The first row is aligned.
template <typename T, bool PADDED, int BLOCK>
__device__ __forceinline__ void load_tile(const T* __restrict__ from, T* tile, int rows, int n, int pad) {
  constexpr int kWide = 16 / sizeof(T);
  const int vectors = rows * n / kWide, vectors_of_row = PADDED ? n / kWide : 1;
  const int row_step = BLOCK / vectors_of_row, column_step = BLOCK % vectors_of_row;
  int row = threadIdx.x / vectors_of_row, column = threadIdx.x % vectors_of_row;
#pragma unroll 4
  for (int i = threadIdx.x; i < vectors; i += BLOCK) {
    async_copy<16>(shared_address(tile + (i + (PADDED ? row * pad : 0)) * kWide), from + i * kWide);
    row += row_step;
    column += column_step;
    if (column >= vectors_of_row) {
      column -= vectors_of_row;
      ++row;
    }
  }
#pragma unroll 1
  for (int i = vectors * kWide + threadIdx.x; i < rows * n; i += BLOCK) tile[i] = from[i];
  async_copy_wait_all();
}

extern __shared__ __align__(16) u64 memory[];

// LANES share a row, with CHUNKS chunks of elements each and vectors of VEC elements in turn. A row of the tile is PAD
// vectors of 16 bytes longer than one of the matrix, against bank conflicts.
template <typename T, typename I, bool LARGEST, int K, int LANES, int CHUNKS, int VEC, bool PADDED, int BLOCK>
__global__ void __launch_bounds__(BLOCK) top_k_short_rows(const T* __restrict__ x, T* __restrict__ values,
                                                          I* __restrict__ indices, i64 rows, int n, int pad) {
  wt::wait_for_earlier_work();
  using Key = KeyOf<T>;
  constexpr int kChunk = K <= 8 ? 8 : 16, kVectors = kChunk / VEC, kStep = LANES * VEC;
  constexpr int kRows = BLOCK / LANES, kRowsOfWarp = 32 / LANES, kPitch = K | 1; // odd, against bank conflicts
  static_assert(K <= 16 && CHUNKS * kChunk * LANES <= 0x8000, "indices have 15 bits");
  const i64 first_row = i64(blockIdx.x) * kRows;
  const int live = static_cast<int>(min(rows - first_row, i64(kRows)));
  const int own = threadIdx.x / LANES, lane = threadIdx.x % LANES, length = n + pad * int(16 / sizeof(T));
  Key* const results = reinterpret_cast<Key*>(memory);
  T* const tile = reinterpret_cast<T*>(memory) + ceil_div(kRows * kPitch * int(sizeof(Key)), 16) * int(16 / sizeof(T));
  load_tile<T, PADDED, BLOCK>(x + first_row * n, tile, live, n, pad);
  __syncthreads();

  Key best[K];
#pragma unroll
  for (int c = 0; c < CHUNKS; ++c) {
    Key keys[kChunk];
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const int at = (c * kVectors + v) * kStep;
      if (c + 1 < CHUNKS || at + lane * VEC < n) {
        make_keys<T, LARGEST>(*reinterpret_cast<const Vec<T, VEC>*>(tile + own * length + lane * VEC + at), kFirst - at,
                              keys + v * VEC);
      } else {
#pragma unroll
        for (int i = 0; i < VEC; ++i) keys[v * VEC + i] = 0;
      }
    }
    sort_keys<0, kChunk>(keys);
    if (c == 0) {
#pragma unroll
      for (int i = 0; i < K; ++i) best[i] = keys[i];
    } else {
      merge_best(best, keys);
    }
  }
  if constexpr (LANES > 1) { // until now the indices are those of lane 0; 0 stays 0
#pragma unroll
    for (int i = 0; i < K; ++i) best[i] = max(best[i], Key(lane * VEC)) - lane * VEC;
  }
#pragma unroll
  for (int offset = 1; offset < LANES; offset *= 2) {
    Key other[K];
#pragma unroll
    for (int i = 0; i < K; ++i) other[i] = __shfl_xor_sync(0xffffffffu, best[i], offset);
    merge_best(best, other);
  }

#pragma unroll
  for (int i = 0; i < K; ++i)
    if (i % LANES == lane) results[own * kPitch + i] = best[i];
  __syncwarp();
  const int first = threadIdx.x / 32 * kRowsOfWarp, count = min(live - first, kRowsOfWarp) * K;
#pragma unroll
  for (int i = threadIdx.x % 32; i < kRowsOfWarp * K; i += 32) {
    if (i >= count) break;
    const Key key = results[(first + i / K) * kPitch + i % K];
    values[(first_row + first) * K + i] = element_of<T, LARGEST>(key);
    indices[(first_row + first) * K + i] = index_of(key);
  }
}
