// How a consumer's sums reach C. A thread of a warpgroup holds of each 64 x N block of sums, for each 8 columns, two
// neighbouring columns of two rows 8 apart (PTX ISA, "Register Fragments for wgmma", matrix D).
#pragma once

#include "epilogue.cuh"
#include "common/l2_hints.cuh"
#include "common/tma.cuh"

// Where pair `pair` of a thread's sums lies in C: (row, column) and the next column or, swapped, the next row.
struct Place {
  int row, column;
};
template <int BN, bool SWAP> __device__ __forceinline__ Place place_of(int pair, int tile_row, int tile_column) {
  const int thread = threadIdx.x % 128, lane = thread % 32, warp = thread / 32;
  const int block = pair / (BN / 4), j = pair % (BN / 4) / 2, half = pair % 2;
  const int left = tile_row + block * 64 + warp * 16 + half * 8 + lane / 4, right = tile_column + j * 8 + lane % 4 * 2;
  return SWAP ? Place{right, left} : Place{left, right};
}

// The residual of the pair at `at`, whose columns may lie outside C. EVEN: C has an even number of columns and even rows in memory.
template <bool SWAP, bool EVEN, typename T>
__device__ __forceinline__ float2 residual_pair(const T* residual, Place at, int m, int columns, int pitch) {
  const T* const first = residual + i64(min(at.row, m - 1)) * pitch + at.column;
  if (at.column >= columns) return make_float2(0.f, 0.f);
  if constexpr (SWAP) return make_float2(wt::to_float(first[0]), wt::to_float(at.row + 1 < m ? first[pitch] : first[0]));
  if constexpr (EVEN) return wt::unpack2<T>(*reinterpret_cast<const u32*>(first)); // at.column is even, too
  return make_float2(wt::to_float(first[0]), wt::to_float(at.column + 1 < columns ? first[1] : first[0]));
}

// A warp asks the L2 cache for the ROWS x COLUMNS of the residual that a tile will need.
template <int ROWS, int COLUMNS, typename T>
__device__ __forceinline__ void prefetch_residual(const T* residual, int row, int column, int m, int columns, int pitch) {
  constexpr int kLines = (COLUMNS + 63) / 64; // of 128 bytes, in a row
  for (int i = threadIdx.x % 32; i < ROWS * kLines; i += 32) {
    const int r = row + i / kLines, s = column + i % kLines * 64;
    if (r < m && s < columns) wt::prefetch_l2(residual + i64(r) * pitch + s);
  }
}

// The bias of this thread's columns of a tile of C, in pairs: for loads that the last products hide. C has 8 columns or a multiple of 8.
template <int COUNT, typename T>
__device__ __forceinline__ void hold_bias(u32 (&pairs)[COUNT], const T* bias, int tile_column, int columns) {
#pragma unroll
  for (int j = 0; j < COUNT; ++j)
    pairs[j] = *reinterpret_cast<const u32*>(bias + min(tile_column + j * 8, columns - 8) + threadIdx.x % 4 * 2);
}

// The residual of this thread's pairs of a tile of C, for loads that the products hide. EVEN: as for residual_pair.
template <int BN, bool EVEN, int COUNT, typename T>
__device__ __forceinline__ void hold_residual(u32 (&pairs)[COUNT], const T* residual, int row, int column, int m, int columns, int pitch) {
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    const float2 pair = residual_pair<false, EVEN>(residual, place_of<BN, false>(i, row, column), m, columns, pitch);
    pairs[i] = wt::pack2<T>(pair.x, pair.y);
  }
}

enum class Residual { elsewhere, load, held }; // what `finish` does: nothing, because another step adds it; load it; or add what is held

// The epilogue of COUNT pairs in place, the first of which is `first`. OUT_BN columns of C come of BN of the sums; the two that
// a gate takes lie APART pairs apart. C is m x columns; of pairs outside, whatever is computed is not stored. HELD: the bias is in
// `bias_pairs`. Residual::held: the residual is in `residual_pairs`. EVEN: as for residual_pair.
template <int BN, int OUT_BN, int COUNT, int APART, bool SWAP, Residual RESIDUAL, bool HELD, bool EVEN, typename T, class E>
__device__ __forceinline__ void finish(float* sums, int first, const E& epilogue, const u32* bias_pairs, const u32* residual_pairs, int row,
                                       int column, int m, int columns) {
#pragma unroll
  for (int i = 0; i < (E::kIdentity && !(E::kResidual && RESIDUAL != Residual::elsewhere) ? 0 : COUNT); ++i) {
    const Place at = place_of<OUT_BN, SWAP>(first + i, row, column);
    const int source = E::kGated ? i / (OUT_BN / 4) * (BN / 4) + i % (OUT_BN / 4) : i;
    float value[2];
#pragma unroll
    for (int of = 0; of < 2; ++of) {
      const int r = min(at.row + (SWAP ? of : 0), m - 1), s = min(at.column + (SWAP ? 0 : of), columns - 1);
      if constexpr (HELD) {
        const float2 bias = wt::unpack2<T>(bias_pairs[(first + i) % (OUT_BN / 4) / 2]);
        value[of] = epilogue(sums[2 * i + of], r, s, of == 0 ? bias.x : bias.y);
      } else if constexpr (E::kGated)
        value[of] = epilogue.gate(sums[2 * source + of], sums[2 * (source + APART) + of], r, s);
      else
        value[of] = epilogue(sums[2 * i + of], r, s);
    }
    if constexpr (E::kResidual && RESIDUAL != Residual::elsewhere) {
      float2 residual;
      if constexpr (RESIDUAL == Residual::held) {
        residual = wt::unpack2<T>(residual_pairs[i]);
      } else {
        if (i % 16 == 0) asm volatile("" ::: "memory"); // more loads in flight would not fit the registers
        residual = residual_pair<SWAP, EVEN>(epilogue.residual, at, m, columns, epilogue.pitch);
      }
      value[0] = epilogue.with_residual(value[0], residual.x);
      value[1] = epilogue.with_residual(value[1], residual.y);
    }
    sums[2 * i] = value[0];
    sums[2 * i + 1] = value[1];
  }
}

// Sums -> registers of pairs -> shared memory -> C, one panel after another. Panels leave while the next ones are written;
// PANELS of them are under way. Panels are 64 rows by WIDTH columns; swapped, BN rows of C by 64 columns. Where WIDTH does not divide
// BN, the last panel begins earlier and stores some columns again, the same values. A residual comes in panels of the same layout.
template <typename T, int BN, int BLOCKS, int PANELS, bool SWAP, class E> struct PanelStore {
  // Columns: one row of the swizzle. With a residual no column comes twice: it would be added twice, and C may lie
  // where the residual does.
  static constexpr int kWidth = SWAP || BN % 64 == 0 || (BN > 64 && !E::kResidual) ? 64 : BN % 32 == 0 ? 32 : 16;
  static constexpr int kBytes = (SWAP ? BN : 64) * kWidth * 2;
  static constexpr int kPerBlock = SWAP ? 1 : (BN + kWidth - 1) / kWidth, kPanels = BLOCKS * kPerBlock; // of a consumer's part of a tile
  static constexpr int kSixteens = (SWAP ? BN : kWidth) / 16; // of columns of sums, in a panel

  unsigned char* const buffers; // of this warpgroup: PANELS
  const TensorMap& c_map;
  const int barrier; // this warpgroup's own

  __device__ __forceinline__ void sync() const { asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory"); }

  static constexpr int first_column(int panel) { // of a panel, in the tile
    const int first = panel % kPerBlock * kWidth;
    return SWAP || first <= BN - kWidth ? first : BN - kWidth;
  }
  // Of this thread's sums, those that it moves for the 16 columns `sixteen` of a panel: 4 pairs.
  static constexpr int first_sum(int panel, int sixteen) {
    return panel / kPerBlock * (BN / 2) + (first_column(panel) / 8 + sixteen * 2) * 4;
  }
  // Where in the panel this lane's row of these 16 columns lies, for store_matrices and load_matrices.
  static __device__ __forceinline__ u32 address(const unsigned char* panel, int sixteen) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32, right = lane / 16; // the left or the right 8 columns
    const int line = SWAP ? sixteen * 16 + right * 8 + lane % 8 : warp * 16 + lane % 16;
    const int chunk = SWAP ? warp * 2 + lane / 8 % 2 : sixteen * 2 + right; // of 16 bytes
    const int swizzled = chunk ^ ((line * kWidth * 2 >> 7) & (kWidth / 8 - 1));
    return wt::shared_address(panel) + line * kWidth * 2 + swizzled * 16;
  }

  // How many copies were begun after the one out of this panel's buffer, where the tile before also had kPanels. The first PANELS
  // panels of a tile follow the last ones of the tile before, whose buffers are others if PANELS does not divide kPanels.
  static constexpr int younger_copies(int panel) {
    return panel >= PANELS ? PANELS - 1 : panel + (kPanels - 1 - panel) % PANELS;
  }

  // (row, column) of the product, as the sums see it. One thread.
  static __device__ __forceinline__ void prefetch_residual(const TensorMap& map, int panel, int row, int column, int batch) {
    const int across = panel / kPerBlock * 64, along = first_column(panel);
    wt::tma_prefetch_box(&map, SWAP ? row + across : column + along, SWAP ? column : row + across, batch);
  }
  static __device__ __forceinline__ void load_residual(unsigned char* to, const TensorMap& map, int panel, int row, int column, int batch,
                                                       u64* arrival) {
    const int across = panel / kPerBlock * 64, along = first_column(panel);
    wt::tma_load(to, &map, SWAP ? row + across : column + along, SWAP ? column : row + across, batch, arrival);
  }
  static __device__ __forceinline__ void add_residual(float* sums, int panel, const unsigned char* from, const E& epilogue) {
#pragma unroll
    for (int j = 0; j < kSixteens; ++j) {
      const wt::Matrices residual = wt::load_matrices<SWAP>(address(from, j));
      float* const v = sums + first_sum(panel, j);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float2 r = wt::unpack2<T>(residual.x[i]);
        v[2 * i] = epilogue.with_residual(v[2 * i], r.x);
        v[2 * i + 1] = epilogue.with_residual(v[2 * i + 1], r.y);
      }
    }
  }
  __device__ __forceinline__ void store(const float* sums, int row, int column, int batch) const {
    const int thread = threadIdx.x % 128;
#pragma unroll
    for (int panel = 0; panel < kPanels; ++panel) {
      const int block = panel / kPerBlock, first = first_column(panel);
      unsigned char* const out = buffers + panel % PANELS * kBytes;
      if (thread == 0) {
        if (younger_copies(panel) < PANELS - 1)
          wt::bulk_wait_read<0>();
        else
          wt::bulk_wait_read<PANELS - 1>();
      }
      sync();
#pragma unroll
      for (int j = 0; j < kSixteens; ++j) {
        const float* const v = sums + first_sum(panel, j);
        u32 pairs[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) pairs[i] = wt::pack2<T>(v[2 * i], v[2 * i + 1]);
        wt::store_matrices<SWAP>(address(out, j), pairs[0], pairs[1], pairs[2], pairs[3]);
      }
      wt::async_proxy_fence();
      sync();
      if (thread == 0) {
        if constexpr (SWAP)
          wt::tma_store(&c_map, out, row + block * 64, column, batch);
        else
          wt::tma_store(&c_map, out, column + first, row + block * 64, batch);
        wt::bulk_commit();
      }
    }
  }
};

template <typename T> __device__ __forceinline__ void store_pair(T* to, float low, float high) {
  if constexpr (sizeof(T) == 2)
    *reinterpret_cast<u32*>(to) = wt::pack2<T>(low, high);
  else
    *reinterpret_cast<float2*>(to) = make_float2(low, high);
}

// Straight to C, for any number of columns: COUNT pairs of this thread's sums, of which `sums` holds the ones from pair `first`
// on. `c` is this product's of the batch, its rows are `pitch` apart.
template <typename T, int BN, int COUNT, bool SWAP>
__device__ __forceinline__ void store_share(const float* sums, int first, T* c, int row, int column, int m, int columns, int pitch) {
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    const auto [r, s] = place_of<BN, SWAP>(first + i, row, column);
    const float low = sums[2 * i], high = sums[2 * i + 1];
    T* const to = c + i64(r) * pitch + s;
    if constexpr (SWAP) {
      if (s >= columns) continue;
      if (r < m) to[0] = wt::from_float<T>(low);
      if (r + 1 < m) to[pitch] = wt::from_float<T>(high);
    } else {
      if (r >= m) continue;
      if (pitch % 2 == 0 && s + 1 < columns) {
        store_pair(to, low, high);
      } else {
        if (s < columns) to[0] = wt::from_float<T>(low);
        if (s + 1 < columns) to[1] = wt::from_float<T>(high);
      }
    }
  }
}
