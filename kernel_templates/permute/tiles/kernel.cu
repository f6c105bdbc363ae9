// y[b][c][r] = x[b][r][c] by tiles in shared memory: 16 bytes a thread are read along rows of x and written along rows
// of y, whatever their lengths are. A vector that a tile shares with its neighbours is read by both, and written by
// element.
#include "common/async.cuh"
#include "common/early.cuh"
#include "common/vec.cuh"

enum Ends : int {
  kWhole = 0, // the rows of y are whole vectors
  kTorn = 1,
  kFlat = 2 // torn, and a tile has all rows of x: what it writes is contiguous
};

// Elements [begin, end) of a vector.
template <int HINT, typename U, int VEC>
__device__ __forceinline__ void store_part(U* to, const wt::Vec<U, VEC>& value, int begin, int end) {
  if (begin <= 0 && end >= VEC) {
    wt::store<HINT>(to, value);
  } else {
#pragma unroll
    for (int k = 0; k < VEC; ++k)
      if (k >= begin && k < end) to[k] = value.v[k];
  }
}

// Elements of type U move as bits. X_WHOLE: the rows of x are whole vectors. ALONG_Y: neighbouring blocks write
// neighbouring tiles, else they read such.
template <typename U, int TILE_R, int TILE_C, int THREADS, bool X_WHOLE, int Y_ENDS, bool ALONG_Y, int HINT>
__global__ void __launch_bounds__(THREADS)
    permute_tiles(const U* __restrict__ x, U* __restrict__ y, i64 size, i64 rows, i64 cols) {
  wt::wait_for_earlier_work();
  constexpr int VEC = 16 / sizeof(U);
  static_assert(TILE_R % VEC == 0 && TILE_C % VEC == 0, "a tile has whole vectors on both sides");
  constexpr int kLoads = TILE_C / VEC + !X_WHOLE,
                kStores = TILE_R / VEC + (Y_ENDS != kWhole); // vectors of a tile's row
  extern __shared__ __align__(128) u8 slots[];
  U* const tile = reinterpret_cast<U*>(slots);
  // Where element `e` of a tile's row lies, from the begin of its first vector. After VEC rows, 16 bytes are left out,
  // so that the threads that read a column for neighbouring vectors of y meet different banks.
  const auto place = [](int r, int e) { return r * kLoads * VEC + r / VEC * VEC + e; };

  const u32 tiles_r = wt::ceil_div<i64>(rows, TILE_R), tiles_c = wt::ceil_div<i64>(cols, TILE_C);
  const u32 block = blockIdx.x % (tiles_r * tiles_c);
  const i64 matrix = blockIdx.x / (tiles_r * tiles_c);
  const i64 row0 = i64(ALONG_Y ? block % tiles_r : block / tiles_c) * TILE_R;
  const i64 col0 = i64(ALONG_Y ? block / tiles_r : block % tiles_c) * TILE_C;
  const int rows_here = static_cast<int>(rows - row0 < TILE_R ? rows - row0 : TILE_R);
  const int cols_here = static_cast<int>(cols - col0 < TILE_C ? cols - col0 : TILE_C);
  const i64 start_x = (matrix * rows + row0) * cols + col0, start_y = (matrix * cols + col0) * rows + row0;
  // Elements of the first vector of a row that are not of the tile.
  const u32 first_x = start_x % VEC, step_x = cols % VEC, first_y = start_y % VEC, step_y = rows % VEC;
  const auto lead_x = [&](int r) { return X_WHOLE ? 0 : static_cast<int>((first_x + r * step_x) % VEC); };
  const auto lead_y = [&](int c) { return Y_ENDS == kWhole ? 0 : static_cast<int>((first_y + c * step_y) % VEC); };

#pragma unroll 8
  for (int id = threadIdx.x; id < rows_here * kLoads; id += THREADS) {
    const int r = id / kLoads, e = id % kLoads * VEC, c = e - lead_x(r);
    if (c >= cols_here) continue;
    const i64 at = start_x + r * cols + c;
    if (X_WHOLE || at + VEC <= size) {
      wt::async_copy<16>(wt::shared_address(tile + place(r, e)), x + at);
    } else {
#pragma unroll 1
      for (int k = 0; at + k < size; ++k) tile[place(r, e + k)] = x[at + k];
    }
  }
  wt::async_copy_wait_all();
  __syncthreads();

  wt::Vec<U, VEC> value;
  if constexpr (Y_ENDS == kFlat) {
    const int lead = first_y, count = cols_here * rows_here;
    for (int id = threadIdx.x; id * VEC < lead + count; id += THREADS) {
      const int e = id * VEC - lead;
      int c = (e < 0 ? 0 : e) / rows_here, r = e < 0 ? e : e % rows_here;
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        if (r >= 0 && c < cols_here) value.v[k] = tile[place(r, lead_x(r) + c)];
        if (++r == rows_here) r = 0, ++c;
      }
      store_part<HINT, U, VEC>(y + start_y + e, value, -e, count - e);
    }
  } else {
#pragma unroll 2
    for (int id = threadIdx.x; id < cols_here * kStores; id += THREADS) {
      const int c = id / kStores, begin = id % kStores * VEC - lead_y(c);
      if (begin >= rows_here) continue;
#pragma unroll
      for (int k = 0; k < VEC; ++k) { // rows that the tile lacks are read as others, and not stored
        const int r = Y_ENDS == kWhole ? begin + k : min(max(begin + k, 0), TILE_R - 1);
        value.v[k] = tile[place(r, lead_x(r) + c)];
      }
      U* const to = y + start_y + c * rows + begin;
      if constexpr (Y_ENDS == kWhole)
        wt::store<HINT>(to, value);
      else
        store_part<HINT, U, VEC>(to, value, -begin, rows_here - begin);
    }
  }
}
