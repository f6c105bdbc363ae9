// y[c][r] = x[r][c]. A tile of TILE_R x TILE_C elements goes through shared memory, so that both the loads
// (along a row of x) and the stores (along a row of y) are wide and contiguous. The tile keeps the layout of
// x in chunks of 16 bytes; a chunk's place in its row is swizzled by the row, so that neither side meets a
// bank conflict.
//
// 2-byte elements: reading one element at a time from shared memory would halve its width. A thread reads pairs of
// neighbouring columns and sorts the halves in registers. (ldmatrix.trans does the sorting in hardware, but leaves a
// warp with 64-byte pieces of y's rows: slower.)
#include "common/async.cuh"
#include "common/vec.cuh"

enum Order : int {
  kAlongRows = 0,    // neighbouring blocks read neighbouring tiles
  kAlongColumns = 1, // neighbouring blocks write neighbouring tiles
  kPanels = 2        // panels of 8 tiles of y's rows: a bit of both
};

template <typename T, int TILE_R, int TILE_C, int THREADS, int LOAD_BYTES, int STORE_BYTES, int ASYNC, int ORDER,
          int HINT>
__global__ void __launch_bounds__(THREADS) transpose(const T* __restrict__ x, T* __restrict__ y, i64 rows, i64 cols) {
  constexpr int kSize = sizeof(T);
  constexpr int kPitch = TILE_C * kSize;      // bytes of a tile's row
  constexpr int kLoad = LOAD_BYTES / kSize;   // elements of a load
  constexpr int kStore = STORE_BYTES / kSize; // elements of a store: rows of x
  constexpr int kLoadsOfRow = TILE_C / kLoad;
  constexpr int kLoads = TILE_R * kLoadsOfRow / THREADS; // a thread's
  constexpr int kWarps = THREADS / 32;
  static_assert(kSize == 2 || kSize == 4, "elements of 2 or 4 bytes");
  static_assert(kLoad >= 1 && LOAD_BYTES <= 16 && kStore >= 1 && STORE_BYTES <= 16,
                "one access moves 1 element to 16 bytes");
  static_assert(kPitch % 128 == 0 && TILE_R * kSize % 128 == 0, "the swizzle needs rows of 128 bytes on both sides");
  static_assert(TILE_R * kLoadsOfRow % THREADS == 0, "every thread has the same number of loads");
  static_assert(kLoads * LOAD_BYTES <= 256, "more than 256 bytes in flight a thread spill");
  static_assert(!ASYNC || LOAD_BYTES >= 4, "cp.async copies 4, 8 or 16 bytes");
  extern __shared__ __align__(128) u8 tile[];
  using Load = wt::Vec<T, kLoad>;
  using Store = wt::Vec<T, kStore>;

  // Where byte `offset` of tile row `row` lies. The rows that one reading instruction touches differ in
  // exactly the bits that make up the key.
  const auto place = [](int row, int offset) {
    const int key = (row / kStore) & 7;
    return row * kPitch + (offset ^ (key << 4));
  };

  const i64 tiles_r = wt::ceil_div<i64>(rows, TILE_R), tiles_c = wt::ceil_div<i64>(cols, TILE_C);
  i64 tile_r, tile_c;
  if constexpr (ORDER == kAlongRows) {
    tile_r = blockIdx.x / tiles_c;
    tile_c = blockIdx.x % tiles_c;
  } else if constexpr (ORDER == kAlongColumns) {
    tile_r = blockIdx.x % tiles_r;
    tile_c = blockIdx.x / tiles_r;
  } else {
    const i64 first = blockIdx.x / (8 * tiles_c) * 8;
    const i64 within = blockIdx.x % (8 * tiles_c);
    const i64 height = tiles_r - first < 8 ? tiles_r - first : 8;
    tile_r = first + within % height;
    tile_c = within / height;
  }
  const i64 row0 = tile_r * TILE_R, col0 = tile_c * TILE_C;
  const int rows_here = static_cast<int>(rows - row0 < TILE_R ? rows - row0 : TILE_R);
  const int cols_here = static_cast<int>(cols - col0 < TILE_C ? cols - col0 : TILE_C);

  // A load lies inside the tensor or outside: cols is a multiple of kLoad, rows one of kStore.
  const T* source = x + row0 * cols + col0;
  if constexpr (ASYNC) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int id = i * THREADS + threadIdx.x;
      const int row = id / kLoadsOfRow, col = id % kLoadsOfRow * kLoad;
      if (row < rows_here && col < cols_here)
        wt::async_copy<LOAD_BYTES>(wt::shared_address(tile + place(row, col * kSize)), source + row * cols + col);
    }
    wt::async_copy_wait_all();
  } else {
    Load loaded[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int id = i * THREADS + threadIdx.x;
      const int row = id / kLoadsOfRow, col = id % kLoadsOfRow * kLoad;
      if (row < rows_here && col < cols_here) loaded[i] = wt::load<wt::kNoAllocate, Load>(source + row * cols + col);
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int id = i * THREADS + threadIdx.x;
      const int row = id / kLoadsOfRow, col = id % kLoadsOfRow * kLoad;
      *reinterpret_cast<Load*>(tile + place(row, col * kSize)) = loaded[i];
    }
  }
  __syncthreads();

  T* target = y + col0 * rows + row0;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // A warp reads LANES_R neighbours along the rows, 128 bytes of y, by 32 / LANES_R words of columns.
  constexpr int kLanesR = 128 / STORE_BYTES < 32 ? 128 / STORE_BYTES : 32;
  constexpr int kLanesC = 32 / kLanesR;
  constexpr int kColsOfWord = 4 / kSize;
  constexpr int kGroupsR = TILE_R / kStore / kLanesR;
  constexpr int kGroups = kGroupsR * (kPitch / 4 / kLanesC);
#pragma unroll 4
  for (int group = warp; group < kGroups; group += kWarps) {
    const int row = (group % kGroupsR * kLanesR + lane % kLanesR) * kStore;
    const int word = group / kGroupsR * kLanesC + lane / kLanesR;
    u32 words[kStore];
#pragma unroll
    for (int j = 0; j < kStore; ++j) words[j] = *reinterpret_cast<const u32*>(tile + place(row + j, word * 4));
    const int col = word * kColsOfWord;
    T* to = target + col * rows + row;
    if constexpr (kSize == 4) {
      if (row < rows_here && col < cols_here) wt::store<HINT>(to, *reinterpret_cast<const Store*>(words));
    } else {
      Store low, high;
      if constexpr (kStore == 1) {
        *reinterpret_cast<u16*>(&low) = static_cast<u16>(words[0]);
        *reinterpret_cast<u16*>(&high) = static_cast<u16>(words[0] >> 16);
      } else {
#pragma unroll
        for (int j = 0; j < kStore / 2; ++j) {
          reinterpret_cast<u32*>(&low)[j] = __byte_perm(words[2 * j], words[2 * j + 1], 0x5410);
          reinterpret_cast<u32*>(&high)[j] = __byte_perm(words[2 * j], words[2 * j + 1], 0x7632);
        }
      }
      if (row < rows_here && col < cols_here) wt::store<HINT>(to, low);
      if (row < rows_here && col + 1 < cols_here) wt::store<HINT>(to + rows, high);
    }
  }
}
