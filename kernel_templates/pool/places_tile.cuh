// The tile of windows of a thread whose maxima have places, for 16-bit types where channels are innermost. The elements
// stay in registers: the maxima are computed in pairs of channels, and then compared with the elements.
#pragma once

#include "window_tile.cuh"

// In each half all ones if the numbers are equal, or else 0.
template <typename T> __device__ __forceinline__ u32 equal2(u32 a, u32 b) {
  if constexpr (wt::is_same<T, __half>)
    return __heq2_mask(reinterpret_cast<const __half2&>(a), reinterpret_cast<const __half2&>(b));
  else
    return __heq2_mask(reinterpret_cast<const __nv_bfloat162&>(a), reinterpret_cast<const __nv_bfloat162&>(b));
}

template <typename T, int OP, int VEC, int LOADS, int TH, int TW, typename H, typename W>
struct WindowTile<true, T, OP, VEC, 1, LOADS, 0, TH, TW, H, W> {
  static constexpr int kRows = (TH - 1) * H::STRIDE + H::SIZE;
  struct Windows {
    using V = u32;
    static constexpr int kCount = VEC / 2;
    V v[kCount];
    int place[VEC];
  };
  const int (&first)[TH][TW]; // the lowest place that is in the image
  u32 elements[kRows][LOADS][VEC / 2];

  __device__ __forceinline__ WindowTile(const int (&first_)[TH][TW]) : first(first_) {}
  __device__ __forceinline__ void begin_row() {}
  __device__ __forceinline__ void add(int r, int l, const wt::Vec<T, VEC>& held) {
    if (l < LOADS) unpack(held, elements[r][l]);
  }
  __device__ __forceinline__ void end_row(int, int) {}

  __device__ __forceinline__ Windows window(int t, int c) const {
    Windows all;
    u32 places[VEC / 2], are_numbers = ~0u;
#pragma unroll
    for (int k = 0; k < VEC / 2; ++k) {
      const auto element = [&](int place) {
        return elements[t * H::STRIDE + place / W::SIZE][c * W::STRIDE + place % W::SIZE][k];
      };
      u32 most = 0;
#pragma unroll
      for (int row = 0; row < H::SIZE; ++row) {
        u32 of_row = element(row * W::SIZE);
#pragma unroll
        for (int i = 1; i < W::SIZE; ++i) of_row = wt::max_nan2<T>(of_row, element(row * W::SIZE + i));
        most = row == 0 ? of_row : wt::max_nan2<T>(most, of_row);
      }
      places[k] = 0;
#pragma unroll
      for (int place = H::SIZE * W::SIZE - 1; place >= 0; --place) // the first of equal maxima remains
        choose(equal2<T>(element(place), most), place, places[k]);
      are_numbers &= equal2<T>(most, most);
      all.v[k] = most;
    }
    if (are_numbers != ~0u) {
#pragma unroll
      for (int place = 0; place < H::SIZE * W::SIZE; ++place) // the last NaN remains
#pragma unroll
        for (int k = 0; k < VEC / 2; ++k) {
          const u32 own = elements[t * H::STRIDE + place / W::SIZE][c * W::STRIDE + place % W::SIZE][k];
          choose(~equal2<T>(own, own), place, places[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < VEC; ++k) // minus infinity is also outside the image
      all.place[k] = max(first[t][c], static_cast<int>(places[k / 2] >> k % 2 * 16 & 0xffffu));
    return all;
  }

 private:
  static __device__ __forceinline__ void choose(u32 mask, int place, u32& places) {
    places = (mask & static_cast<u32>(place) * 0x10001u) | (~mask & places);
  }
};
