// How a consumer's sums reach C. A thread of a warpgroup holds of each 64 x N block of sums, for each 8 columns, two
// neighbouring columns of two rows 8 apart (PTX ISA, "Register Fragments for wgmma", matrix D).
#pragma once

#include "epilogue.cuh"
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

template <bool SWAP, typename T>
__device__ __forceinline__ float2 residual_pair(const T* residual, Place at, int m, int columns, int pitch) {
  const int r = min(at.row, m - 1), s = min(at.column, SWAP || columns % 2 != 0 ? columns - 1 : columns - 2);
  const T* const first = residual + i64(r) * pitch + s;
  if constexpr (SWAP) return make_float2(wt::to_float(first[0]), wt::to_float(residual[i64(min(at.row + 1, m - 1)) * pitch + s]));
  if (columns % 2 == 0 && pitch % 2 == 0) return wt::unpack2<T>(*reinterpret_cast<const u32*>(first)); // s is even, so both are inside
  return make_float2(wt::to_float(first[0]), wt::to_float(s + 1 < columns ? first[1] : first[0]));
}

// A warp asks the L2 cache for the ROWS x COLUMNS of the residual that a tile will need.
template <int ROWS, int COLUMNS, typename T>
__device__ __forceinline__ void prefetch_residual(const T* residual, int row, int column, int m, int columns, int pitch) {
  constexpr int kLines = (COLUMNS + 63) / 64; // of 128 bytes, in a row
  for (int i = threadIdx.x % 32; i < ROWS * kLines; i += 32) {
    const int r = row + i / kLines, s = column + i % kLines * 64;
    if (r < m && s < columns) asm volatile("prefetch.global.L2 [%0];" ::"l"(residual + i64(r) * pitch + s));
  }
}

// The epilogue of COUNT pairs in place, the first of which is `first`. OUT_BN columns of C come of BN of the sums; the two that
// a gate takes lie APART pairs apart. C is m x columns; of pairs outside, whatever is computed is not stored. RESIDUAL: with it.
template <int BN, int OUT_BN, int COUNT, int APART, bool SWAP, bool RESIDUAL, class E>
__device__ __forceinline__ void finish(float* sums, int first, const E& epilogue, int row, int column, int m, int columns) {
#pragma unroll
  for (int i = 0; i < (E::kIdentity && !(E::kResidual && RESIDUAL) ? 0 : COUNT); ++i) {
    const Place at = place_of<OUT_BN, SWAP>(first + i, row, column);
    const int source = E::kGated ? i / (OUT_BN / 4) * (BN / 4) + i % (OUT_BN / 4) : i;
    float value[2];
#pragma unroll
    for (int of = 0; of < 2; ++of) {
      const int r = min(at.row + (SWAP ? of : 0), m - 1), s = min(at.column + (SWAP ? 0 : of), columns - 1);
      if constexpr (E::kGated)
        value[of] = epilogue.gate(sums[2 * source + of], sums[2 * (source + APART) + of], r, s);
      else
        value[of] = epilogue(sums[2 * i + of], r, s);
    }
    if constexpr (E::kResidual && RESIDUAL) {
      const auto residual = residual_pair<SWAP>(epilogue.residual, at, m, columns, epilogue.pitch);
      value[0] = epilogue.with_residual(value[0], residual.x);
      value[1] = epilogue.with_residual(value[1], residual.y);
    }
    sums[2 * i] = value[0];
    sums[2 * i + 1] = value[1];
  }
}

// Sums -> registers of pairs -> shared memory -> C, one panel after another. Panels leave while the next ones are written;
// PANELS of them are under way. Panels are 64 rows by WIDTH columns; swapped, BN rows of C by 64 columns. Where WIDTH does not divide
// BN, the last panel begins earlier and stores some columns again, the same values. A residual comes the same
// way: its panel lies in the buffer of that of C, from before the products until it is added there.
template <typename T, int BN, int BLOCKS, int PANELS, bool SWAP, class E> struct PanelStore {
  // Columns: one row of the swizzle. With a residual no column comes twice, since C may lie where the residual does.
  static constexpr int kWidth = SWAP || BN % 64 == 0 || (BN > 64 && !E::kResidual) ? 64 : BN % 32 == 0 ? 32 : 16;
  static constexpr int kBytes = (SWAP ? BN : 64) * kWidth * 2;
  static constexpr int kPerBlock = SWAP ? 1 : (BN + kWidth - 1) / kWidth, kPanels = BLOCKS * kPerBlock; // of a consumer's part of a tile

  unsigned char* const buffers; // of this warpgroup: PANELS
  u64* const full;              // of this warpgroup: PANELS, when the residual is in
  const TensorMap &c_map, &residual_map;
  const int barrier; // this warpgroup's own
  u32 phases = 0;    // a bit for each of `full`

  static constexpr int first_column(int panel) { // of a panel, in the tile
    const int first = panel % kPerBlock * kWidth;
    return SWAP || first <= BN - kWidth ? first : BN - kWidth;
  }

  // How many copies were begun after the one out of this panel's buffer, where the tile before also had kPanels. The first PANELS
  // panels of a tile follow the last ones of the tile before, whose buffers are others if PANELS does not divide kPanels.
  static constexpr int younger_copies(int panel) {
    return panel >= PANELS ? PANELS - 1 : panel + (kPanels - 1 - panel) % PANELS;
  }

  // (row, column) of the product, as the sums see it. One thread.
  __device__ __forceinline__ void load_residual(int panel, int row, int column, int batch) const {
    u64* const arrival = full + panel % PANELS;
    wt::barrier_arrive_expect(arrival, kBytes);
    const int across = panel / kPerBlock * 64, along = first_column(panel);
    wt::tma_load(buffers + panel % PANELS * kBytes, &residual_map, SWAP ? row + across : column + along, SWAP ? column : row + across,
                 batch, arrival);
  }
  // Before the products of a tile.
  __device__ __forceinline__ void begin(int row, int column, int batch) const {
    if constexpr (E::kResidual) {
      if (threadIdx.x % 128 != 0) return;
      wt::bulk_wait_read<0>();
      for (int panel = 0; panel < PANELS && panel < kPanels; ++panel) load_residual(panel, row, column, batch);
    }
  }
  __device__ __forceinline__ void store(const float* sums, const E& epilogue, int row, int column, int batch) {
    const int thread = threadIdx.x % 128, lane = thread % 32, warp = thread / 32;
#pragma unroll
    for (int panel = 0; panel < kPanels; ++panel) {
      const int block = panel / kPerBlock, first = first_column(panel), buffer = panel % PANELS;
      unsigned char* const out = buffers + buffer * kBytes;
      if constexpr (E::kResidual) {
        if (thread == 0 && panel > 0 && panel - 1 + PANELS < kPanels) { // the buffer of the panel before
          wt::bulk_wait_read<0>();
          load_residual(panel - 1 + PANELS, row, column, batch);
        }
        wt::barrier_wait(&full[buffer], phases >> buffer & 1);
        phases ^= 1u << buffer;
      } else {
        if (thread == 0) {
          if (younger_copies(panel) < PANELS - 1)
            wt::bulk_wait_read<0>();
          else
            wt::bulk_wait_read<PANELS - 1>();
        }
        asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
      }
      const u32 base = wt::shared_address(out);
#pragma unroll
      for (int j = 0; j < (SWAP ? BN : kWidth) / 16; ++j) {
        const int right = lane / 16; // this lane's address is in the left or the right 8 columns of these 16
        const int line = SWAP ? j * 16 + right * 8 + lane % 8 : warp * 16 + lane % 16;
        const int chunk = SWAP ? warp * 2 + lane / 8 % 2 : j * 2 + right; // of 16 bytes
        const int swizzled = chunk ^ ((line * kWidth * 2 >> 7) & (kWidth / 8 - 1));
        const u32 address = base + line * kWidth * 2 + swizzled * 16;
        const float* v = sums + block * (BN / 2) + (first / 8 + j * 2) * 4;
        u32 pairs[4];
        if constexpr (E::kResidual) {
          const wt::Matrices residual = wt::load_matrices<SWAP>(address);
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            const float2 r = wt::unpack2<T>(residual.x[i]);
            pairs[i] = wt::pack2<T>(epilogue.with_residual(v[2 * i], r.x), epilogue.with_residual(v[2 * i + 1], r.y));
          }
        } else {
#pragma unroll
          for (int i = 0; i < 4; ++i) pairs[i] = wt::pack2<T>(v[2 * i], v[2 * i + 1]);
        }
        wt::store_matrices<SWAP>(address, pairs[0], pairs[1], pairs[2], pairs[3]);
      }
      wt::async_proxy_fence();
      asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
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
